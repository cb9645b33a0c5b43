import type { ErrorType } from '#lib/contracts/verdict';
import { ERROR_WORDS } from './results';
import { id, oneOf, searchOf, text, wholeNumber } from './search';

/** A run, and the model whose confusion is shown: all of them, unless it says otherwise. */
export const runSearch = searchOf({ confusion: text(300) });

/**
 * The cases of a run by model: those on which models differ, unless it says otherwise;
 * by the verdicts of the run, or of a rescore.
 */
export const matrixSearch = searchOf({
  show: oneOf(['all', 'all_failed'] as const),
  after: text(500),
  rescore: id,
});

/**
 * The groups of what did not pass, of one error type or of all, by the verdicts of the run or of a rescore; and what is
 * drawn from one of them.
 */
export const failuresSearch = searchOf({
  type: oneOf(Object.keys(ERROR_WORDS) as ErrorType[]),
  group: text(100),
  seed: wholeNumber(0),
  rescore: id,
});
