import { normalQuantile, tQuantile } from '#lib/scoring/statistics/distributions';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { pairedInterval, type PairedInterval } from '#lib/scoring/statistics/paired';
import { wilson } from '#lib/scoring/statistics/proportions';
import type { MeasuredPair } from '#lib/comparison/compare-runs';
import { metricOf } from '#lib/comparison/estimate';
import { plainInterval } from '#lib/comparison/figures';
import type { CaseMeasurement } from '#lib/comparison/measurements';
import type { CriticalCase, GateReason, GateTarget } from './contract.js';
import { decideTarget, resultOf, type GateLevel } from './decide-gate.js';
import { prospectOf, remainingVariance, type Prospect } from './early-stop.js';
import { sentenceOnTarget } from './gate-sentence.js';

/** The data read for a pair of targets. */
export interface GatePair extends Omit<MeasuredPair, 'common' | 'sides'> {
  /** All cases of the run, by pass or fail. */
  passes: readonly CaseMeasurement[];
  critical: CriticalCase[];
}

/** A pair of targets after its cases were summarised; `p_holm` needs the other pairs. */
export interface SummedPair extends Omit<GatePair, 'cases' | 'passes'> {
  interval: PairedInterval;
  passRate: { cases: number; rate: number; ci: [number, number] } | null;
  erroredShares: [number, number];
  /** The share of the variance that is left at the last look, for the difference and for the pass rate. */
  remaining: { difference: number | null; passRate: number | null };
}

/** @param lastLook samples per case on each side at the last look */
export function sumUp({ cases, passes, ...rest }: GatePair, { alpha }: GateLevel, lastLook: number): SummedPair {
  const { figures } = rest;
  const scored = cases.filter(({ a, b }) => a.mean !== null && b.mean !== null);
  const isLast = Math.round(Math.min(...figures.samples)) >= lastLook;
  return {
    ...rest,
    interval: pairedInterval(
      Float64Array.from(scored, ({ a, b }) => b.mean! - a.mean!),
      1 - alpha,
    ),
    passRate: passRateOf(passes, 1 - alpha),
    // Errors in cases that the baseline lacks also make the pass rate uncertain.
    erroredShares: [figures.erroredShares[0], Math.max(figures.erroredShares[1], erroredShare(passes))],
    remaining: {
      difference: isLast ? 1 : remainingVariance(scored.map(({ a, b }) => ofDifference(a, b, lastLook))),
      passRate: isLast ? 1 : remainingVariance(passes.filter(isScored).map((one) => ofPasses(one, lastLook))),
    },
  };
}

const isScored = ({ scored }: CaseMeasurement): boolean => scored > 0;

function ofDifference(a: CaseMeasurement, b: CaseMeasurement, lastLook: number) {
  const [inA, inB] = [ofPasses(a, lastLook).within, ofPasses(b, lastLook).within];
  return {
    value: b.mean! - a.mean!,
    within: inA && inB && { now: inA.now + inB.now, last: inA.last + inB.last },
  };
}
const ofPasses = ({ mean, variance, scored }: CaseMeasurement, lastLook: number) => ({
  value: mean!,
  within: variance === null ? null : { now: variance / scored, last: variance / lastLook },
});

function erroredShare(cases: readonly CaseMeasurement[]): number {
  const errored = cases.reduce((sum, one) => sum + one.errored, 0);
  const all = cases.reduce((sum, one) => sum + one.errored + one.scored, 0);
  return all === 0 ? 0 : errored / all;
}

/** The mean over the cases of their share of passed samples, with its interval. */
function passRateOf(passes: readonly CaseMeasurement[], confidence: number): SummedPair['passRate'] {
  const shares = passes.filter(isScored).map(({ passed, scored }) => passed / scored);
  if (shares.length === 0) return null;
  const passed = shares.reduce((sum, share) => sum + share, 0);
  const isOneSampleACase = passes.every(({ scored }) => scored <= 1);
  const ci = isOneSampleACase ? wilson(passed, shares.length, confidence) : caseMeanInterval(shares, confidence);
  return { cases: shares.length, rate: passed / shares.length, ci: plainInterval(ci!) };
}

export interface DecidedTarget {
  target: GateTarget;
  /** Whether further samples can still make it pass or fail. */
  prospect: Prospect;
}

/** What decides about a pair in addition to its data. */
export interface PairRules {
  level: GateLevel;
  /** `overall`, `passed` or the name of a metric. */
  measure: string;
  /** `p` corrected by Holm over the gate's pairs that have one, and the number of those pairs. */
  pHolm: number | null;
  family: number;
  /** Whether the gate has other models. */
  amongOthers: boolean;
}

/** The decision about a pair, once the p values of all pairs are known. */
export function decidePair(summed: SummedPair, rules: PairRules): DecidedTarget {
  const { pair, figures, outcomes, passRate } = summed;
  const { level, family, amongOthers, measure } = rules;
  const measured = {
    n_cases: figures.n_cases,
    samples: figures.samples,
    mean_a: figures.mean_a,
    mean_b: figures.mean_b,
    difference: figures.difference,
    ci: figures.n_cases === 0 ? null : plainInterval(summed.interval.ci),
    p: figures.p,
    p_holm: rules.pHolm,
    pass_rate: passRate?.rate ?? null,
    pass_rate_ci: passRate?.ci ?? null,
    errored_shares: summed.erroredShares,
    fixed: outcomes.fixed,
    broken: outcomes.broken,
    cost: summed.cost,
    critical: summed.critical,
  };
  const { drift } = summed;
  const reason = decideTarget({ ...measured, drift, common: figures.common }, level);
  const prospect = prospectFor(reason, summed, rules);
  const target = { ...measured, ...(drift.length > 0 && { drift }), cases_needed: prospect.casesNeeded };
  const subject = { pairs: [pair], amongOthers, metric: metricOf(measure) };
  const text = sentenceOnTarget({ reason, figures, outcomes, subject, level, target, family, drift });
  return {
    prospect,
    target: { target: pair.b, baseline_target: pair.a, result: resultOf(reason), reason, text, ...target },
  };
}

const DECIDED: Prospect = { canPass: false, canFail: false, casesNeeded: null };
const OPEN: Prospect = { canPass: true, canFail: true, casesNeeded: null };

function prospectFor(
  reason: GateReason,
  { figures, interval: { centre, se, df }, passRate, remaining }: SummedPair,
  { level: { alpha, margin, floor }, family }: PairRules,
): Prospect {
  switch (reason) {
    case 'critical_unconfirmed':
      return OPEN;
    case 'floor_undecided': {
      const { cases: n, ci } = passRate!;
      const half = (ci[1] - ci[0]) / 2;
      const limits = { passAbove: floor!.pass_rate, failBelow: floor!.pass_rate };
      const halves = { pass: half, fail: half };
      const centre = (ci[0] + ci[1]) / 2;
      return prospectOf({
        n,
        centre,
        se: half / normalQuantile(1 - alpha / 2),
        halves,
        ...limits,
        remaining: remaining.passRate,
      });
    }
    case 'undecided': {
      const half = (level: number): number => tQuantile(1 - level / 2, df) * se;
      const limits = { passAbove: -margin, failBelow: 0 };
      const halves = { pass: half(alpha), fail: half(alpha / Math.max(1, family)) };
      return prospectOf({ n: figures.n_cases, centre, se, halves, ...limits, remaining: remaining.difference });
    }
    default:
      return DECIDED;
  }
}
