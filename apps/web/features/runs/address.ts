import type { JobStatus } from '#lib/contracts/job-status';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { TOOL_CHOICES } from '#lib/contracts/values/runs';
import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import { id, oneOf, searchOf, text, wholeNumber } from '../../address';

/** Status filters of the run list, as in its address. */
export const STATUS_FILTERS = {
  under_way: ['under way', UNFINISHED_STATUSES],
  completed: ['completed', ['completed']],
  failed: ['failed', ['failed']],
  cancelled: ['cancelled', ['cancelled']],
  budget_exceeded: ['budget spent', ['budget_exceeded']],
} as const satisfies Record<string, [string, readonly JobStatus[]]>;
export type StatusFilter = keyof typeof STATUS_FILTERS;

export const runsSearch = searchOf({
  suite: id,
  status: oneOf(Object.keys(STATUS_FILTERS) as StatusFilter[]),
  model: text(300),
  after: text(500),
});
export type RunsSearch = ReturnType<typeof runsSearch>;

/**
 * A new run: of a suite, optionally with a prompt version; or from an earlier run, optionally with another tool choice.
 */
export const runNewSearch = searchOf({
  suite: id,
  prompt: id,
  from: id,
  tool_choice: oneOf(TOOL_CHOICES),
});

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
export type MatrixSearch = ReturnType<typeof matrixSearch>;

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
