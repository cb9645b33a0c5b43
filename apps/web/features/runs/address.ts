import type { JobStatus } from '#lib/contracts/job-status';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { TOOL_CHOICES } from '#lib/contracts/values/runs';
import { id, oneOf, searchOf, text } from '../../address';

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
