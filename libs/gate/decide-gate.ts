import type { MeasuredFloor } from '#lib/contracts/gate-floor';
import { MIN_COMMON_CASES } from '#lib/contracts/values/comparison';
import { isMissed, isUndecided } from '#lib/contracts/values/floors';
import type { GateReason, GateResult, GateRules, GateTarget } from './contract.js';

/** Why nothing can be measured, regardless of the results. */
export type GateObstacle = Extract<GateReason, 'no_baseline' | 'unfinished' | 'not_in_run'>;

/** The evidence on one target. All intervals are at the level of the look. */
export interface GateEvidence extends Pick<GateTarget, 'n_cases' | 'errored_shares' | 'ci' | 'p_holm'> {
  /** Cases in both runs, scored or not. */
  common: number;
  /** Cases with a critical tag that always passed in the baseline and never pass in the run. */
  critical: readonly { confirmed: boolean }[];
  /** Each minimum of the gate's floor with what was measured for it. */
  floors: readonly MeasuredFloor[];
  /** Added samples that are not counted. */
  drift: readonly unknown[];
}

export interface GateLevel extends Pick<GateRules, 'margin' | 'floor' | 'max_errored_share'> {
  /** Two-sided, per look. */
  alpha: number;
}

/** Samples on each side that confirm that a critical case broke. */
export const CONFIRMING_SAMPLES = 3;

/** The rule that decides about a target: the first one that applies. */
export function decideTarget(evidence: GateEvidence, { margin, max_errored_share, alpha }: GateLevel): GateReason {
  const { common, n_cases: n, errored_shares, critical, ci, p_holm } = evidence;
  if (common >= MIN_COMMON_CASES && n === 0) return 'nothing_scored';
  if (n < MIN_COMMON_CASES) return 'too_few_cases';
  if (Math.max(...errored_shares) > max_errored_share) return 'errored';
  if (evidence.drift.length > 0) return 'drifted';
  if (critical.some(({ confirmed }) => confirmed)) return 'critical';
  if (critical.length > 0) return 'critical_unconfirmed';
  if (evidence.floors.some(isMissed)) return 'floor';
  if (evidence.floors.some(isUndecided)) return 'floor_undecided';
  const [low, high] = ci!;
  if (low > -margin) return 'not_worse';
  return high < 0 && p_holm! < alpha ? 'regressed' : 'undecided';
}

const RESULTS: Record<GateReason, GateResult> = {
  no_baseline: 'not_measured',
  unfinished: 'not_measured',
  nothing_scored: 'not_measured',
  not_in_run: 'not_measured',
  too_few_cases: 'not_measured',
  errored: 'not_measured',
  drifted: 'not_measured',
  critical: 'fail',
  critical_unconfirmed: 'inconclusive',
  floor: 'fail',
  floor_undecided: 'inconclusive',
  not_worse: 'pass',
  regressed: 'fail',
  undecided: 'inconclusive',
};
export const resultOf = (reason: GateReason): GateResult => RESULTS[reason];

/**
 * Combines the targets: one failure fails the gate, and a pass requires all to pass. Without targets, nothing is
 * measured.
 */
export function decideGate(targets: readonly GateResult[]): GateResult {
  if (targets.includes('fail')) return 'fail';
  if (targets.length === 0 || targets.includes('not_measured')) return 'not_measured';
  return targets.every((result) => result === 'pass') ? 'pass' : 'inconclusive';
}
