import type { JobStatus } from '#lib/contracts/job-status';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { RUN_CASES_ORDERS, RUN_CASES_SHOWN, RUN_ORDERS, TOOL_CHOICES } from '#lib/contracts/values/runs';
import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import { flag, id, oneOf, searchOf, severalOf, text, wholeNumber } from '../../address';

/** Status filters of the run list, as in its address. */
export const STATUS_FILTERS = {
  under_way: ['under way', UNFINISHED_STATUSES],
  completed: ['completed', ['completed']],
  failed: ['failed', ['failed']],
  cancelled: ['cancelled', ['cancelled']],
  budget_exceeded: ['budget spent', ['budget_exceeded']],
} as const satisfies Record<string, [string, readonly JobStatus[]]>;
export type StatusFilter = keyof typeof STATUS_FILTERS;

const day = text(10, /^\d{4}-\d\d-\d\d$/);

export const runsSearch = searchOf({
  q: text(200),
  suite: id,
  status: oneOf(Object.keys(STATUS_FILTERS) as StatusFilter[]),
  model: text(300),
  experiment: id,
  tag: text(50),
  archived: oneOf(['true', 'any'] as const),
  /** Days in the reader's time, both included. */
  from: day,
  to: day,
  order: oneOf(RUN_ORDERS),
  reverse: flag,
  /** Ticked for a comparison, on whatever page. */
  ticked: severalOf(id),
  after: text(5000),
});
export type RunsSearch = ReturnType<typeof runsSearch>;
export type RunOrder = (typeof RUN_ORDERS)[number];

/** The part of a list's address that a person keeps. */
export const keptOf = ({ after: _after, ticked: _ticked, ...kept }: RunsSearch): RunsSearch => kept;

/** The beginning of a day in the reader's time, or of the day after. */
export function dayStart(day: string, later = 0): string {
  const [year, month, date] = day.split('-').map(Number);
  const at = new Date(year!, month! - 1, date! + later);
  return Number.isNaN(at.getTime()) ? day : at.toISOString();
}

/**
 * A new run: of a suite, optionally with a prompt version; or from an earlier run, optionally with another tool choice
 * or with new replies only.
 */
export const runNewSearch = searchOf({
  suite: id,
  prompt: id,
  from: id,
  tool_choice: oneOf(TOOL_CHOICES),
  cache: oneOf(['refresh'] as const),
});

/** What scores are weighed against in a picture: cost by default, where there is one. */
export const against = oneOf(['cost', 'latency'] as const);

/** A run; the model whose confusion is shown, all models by default; and the axis of its picture. */
export const runSearch = searchOf({ confusion: text(300), against });

/**
 * The cases of a run by model: by default those on which models differ, the most first. Uses the verdicts of the run,
 * or of a rescore.
 */
export const matrixSearch = searchOf({
  show: oneOf(RUN_CASES_SHOWN),
  order: oneOf(RUN_CASES_ORDERS),
  category: text(200),
  tag: text(100),
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
