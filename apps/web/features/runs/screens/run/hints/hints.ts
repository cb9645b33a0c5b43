import { callsInText, callsInThoughts, otherToolChoice, repairedCalls, tryRequired } from './calls';
import { draftedPrompts, strictExpectations } from './expectations';
import type { Hint, HintInput } from './hint';
import { blockedRequests, cutOffReplies, nothingAnswered, refusedReplies } from './lost-replies';

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
  HINTS.map((hint) => hint(known)).filter((hint) => hint !== undefined);
