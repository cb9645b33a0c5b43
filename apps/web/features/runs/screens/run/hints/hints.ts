import { draftedPrompts } from './drafted-prompts';
import type { Hint, HintInput } from './hint';
import { blockedRequests, callsInText, callsInThoughts, cutOffReplies, refusedReplies } from './lost-replies';
import { nothingAnswered } from './nothing-answered';
import { otherToolChoice } from './other-tool-choice';
import { repairedCalls } from './repaired-calls';
import { strictExpectations } from './strict-expectations';
import { tryRequired } from './try-required';

/** In order of usefulness: what kept a model from answering, from calling, and from being right. */
const HINTS = [
  nothingAnswered,
  blockedRequests,
  cutOffReplies,
  refusedReplies,
  callsInText,
  callsInThoughts,
  tryRequired,
  otherToolChoice,
  draftedPrompts,
  strictExpectations,
  repairedCalls,
];

/** Noticeable features of a run that often have the same cause, and what to do about them. */
export const hintsOf = (known: HintInput): Hint[] =>
  HINTS.map((hint) => hint(known)).filter((hint): hint is Hint => hint !== undefined);
