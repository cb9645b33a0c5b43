import { draftedPrompts } from './drafted-prompts';
import type { Hint, Known } from './hint';
import { blockedRequests, callsInText, callsInThoughts, cutOffReplies, refusedReplies } from './lost-replies';
import { nothingAnswered } from './nothing-answered';
import { otherToolChoice } from './other-tool-choice';
import { repairedCalls } from './repaired-calls';
import { strictExpectations } from './strict-expectations';
import { tryRequired } from './try-required';

/** In the order in which they help: what kept a model from answering, from calling, and from being right. */
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

/** What stands out in a run that often has the same cause, and what to do about it. */
export const hintsOf = (known: Known): Hint[] =>
  HINTS.map((hint) => hint(known)).filter((hint): hint is Hint => hint !== undefined);
