import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import { id, oneOf, searchOf, text, wholeNumber } from '../../address';

/** A run, and the model whose confusion is shown: all models by default. */
export const runSearch = searchOf({ confusion: text(300) });

/**
 * The cases of a run by model: by default those on which models differ. Uses the verdicts of the run, or of a rescore.
 */
export const matrixSearch = searchOf({
  show: oneOf(['all', 'all_failed'] as const),
  after: text(500),
  rescore: id,
});

/**
 * Failure groups of one error type or of all, by the verdicts of the run or of a rescore; and the sample drawn from one
 * of them.
 */
export const failuresSearch = searchOf({
  type: oneOf(ERROR_TYPES),
  group: text(100),
  seed: wholeNumber(0),
  rescore: id,
});
