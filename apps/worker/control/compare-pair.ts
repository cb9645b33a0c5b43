import type { ShortComparison } from '#lib/comparison/threads/comparison-tasks';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import { DEFAULT_MAX_ERRORED_SHARE, MIN_COMMON_SHARE } from '#lib/contracts/values/comparison';
import type { BaselineComparison, DeltaObstacle } from '#lib/contracts/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import type { ComparedPair, ExperimentToCompare, RunOfExperiment } from '#lib/db/engine/experiment-pairs';

/** What two runs are compared by. */
type Rules = Pick<ExperimentToCompare, 'teamId' | 'measure' | 'margin'>;

export type ComparePair = (
  rules: Rules,
  run: RunOfExperiment,
  against: RunOfExperiment,
  signal: AbortSignal,
) => Promise<ComparedPair>;

/** Compares a run that has all its results with another: of its experiment, or an earlier one. */
export async function comparePair(
  comparing: Comparer,
  rules: Rules,
  run: RunOfExperiment,
  against: RunOfExperiment,
  signal: AbortSignal,
): Promise<ComparedPair> {
  const compared = await compareByMeasure(comparing, rules, { a: against.id, b: run.id }, signal);
  const { all, cases, scores, sameTargets, commonShare } = compared;
  const wasStopped = [run, against].some(({ status }) => status === 'cancelled' || status === 'budget_exceeded');
  const lacksScores = wasStopped && all.n_cases < cases.common;
  const differs: DeltaObstacle[] = [];
  if (!sameTargets) differs.push('targets');
  if (commonShare < MIN_COMMON_SHARE || lacksScores) differs.push('cases');
  const [score, base] = hasSameCases(compared) ? [run.score, against.score] : [scores.b, scores.a];
  return {
    run,
    against,
    delta: differs.length > 0 || score === null || base === null ? null : difference(score, base),
    differs,
    eligible: differs.length === 0 && run.mayBeBest && run.caseFilter === against.caseFilter,
    comparison: inShort(against.id, compared),
  };
}

/** One of the runs was deleted after it was read. */
export const isGone = (error: unknown): boolean => error instanceof ProblemError && error.status === 404;

/** Full precision, but 0 when only the summation order of the same verdicts differs. */
const difference = (score: number, base: number): number => (Math.abs(score - base) < 1e-12 ? 0 : score - base);

const hasSameCases = ({ cases }: ShortComparison): boolean => cases.changed + cases.only_a + cases.only_b === 0;

/** Runs that lack the experiment's measure still have scores. */
async function compareByMeasure(
  comparing: Comparer,
  { teamId, measure, margin }: Rules,
  sides: { a: string; b: string },
  signal: AbortSignal,
): Promise<ShortComparison & { refusal?: string }> {
  const asked = { ...sides, margin, maxErroredShare: DEFAULT_MAX_ERRORED_SHARE, partial: false, settled: true };
  const compareBy = (by: string): Promise<ShortComparison> =>
    comparing.run({ what: 'compare-in-short', teamId, request: { ...asked, measure: by } }, signal);
  try {
    return await compareBy(measure);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 422 || measure === 'overall') throw error;
    return { ...(await compareBy('overall')), refusal: error.message };
  }
}

function inShort(
  baselineId: string,
  { all, models, refusal }: ShortComparison & { refusal?: string },
): BaselineComparison {
  if (refusal !== undefined) return { ...NO_VERDICT, baseline_eval_id: baselineId, text: refusal };
  return {
    baseline_eval_id: baselineId,
    verdict: all.verdict!,
    difference: all.difference,
    ci: all.ci,
    p: all.p,
    n_cases: all.n_cases,
    small: all.small,
    text: all.text!,
    models,
  };
}

const NO_VERDICT = {
  verdict: 'not_comparable',
  difference: null,
  ci: null,
  p: null,
  n_cases: 0,
  small: false,
  models: { worst: null, regressed: 0, improved: 0 },
} as const;
