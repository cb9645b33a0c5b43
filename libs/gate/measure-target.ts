import { normalQuantile, tQuantile } from '#lib/scoring/statistics/distributions';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { pairedInterval, type PairedInterval } from '#lib/scoring/statistics/paired';
import { wilson } from '#lib/scoring/statistics/proportions';
import type { MeasuredPair } from '#lib/comparison/compare-runs';
import { metricOf } from '#lib/comparison/estimate';
import { plainInterval } from '#lib/comparison/figures';
import type { CaseMeasurement } from '#lib/comparison/measurements';
import type { CriticalCase, GateReason, GateTarget } from './contract.js';
import type { MeasuredFloor } from '#lib/contracts/gate-floor';
import { isUndecided } from '#lib/contracts/values/floors';
import { decideTarget, resultOf, type GateLevel } from './decide-gate.js';
import { prospectOf, remainingVariance, type Prospect } from './early-stop.js';
import { sentenceOnTarget } from './gate-sentence.js';

const PASS_RATE = 'pass_rate';

/** The data read for a pair of targets. */
export interface GatePair extends Omit<MeasuredPair, 'common' | 'sides'> {
  /** All cases of the run, by pass or fail. */
  passes: readonly CaseMeasurement[];
  /** All cases of the run by each metric that has a floor. */
  byMetric: ReadonlyMap<string, readonly CaseMeasurement[]>;
  critical: CriticalCase[];
}

interface SummedFloor extends MeasuredFloor {
  cases: number;
  /** The share of the variance that is left at the last look. */
  remaining: number | null;
}

/** A pair of targets after its cases were summarised; `p_holm` needs the other pairs. */
export interface SummedPair extends Omit<GatePair, 'cases' | 'passes' | 'byMetric'> {
  interval: PairedInterval;
  passRate: { cases: number; rate: number; ci: [number, number] } | null;
  floors: SummedFloor[];
  erroredShares: [number, number];
  /** The share of the variance of the difference that is left at the last look. */
  remaining: number | null;
}

/** @param lastLook samples per case on each side at the last look */
export function sumUp(
  { cases, passes, byMetric, ...rest }: GatePair,
  { alpha, floor }: GateLevel,
  lastLook: number,
): SummedPair {
  const { figures } = rest;
  const scored = cases.filter(({ a, b }) => a.mean !== null && b.mean !== null);
  const passRate = passRateOf(passes, 1 - alpha);
  const isLast = Math.round(Math.min(...figures.samples)) >= lastLook;
  return {
    ...rest,
    interval: pairedInterval(
      Float64Array.from(scored, ({ a, b }) => b.mean! - a.mean!),
      1 - alpha,
    ),
    passRate,
    floors: [
      ...(floor?.pass_rate === undefined
        ? []
        : [
            {
              name: PASS_RATE,
              minimum: floor.pass_rate,
              mean: passRate?.rate ?? null,
              ci: passRate?.ci ?? null,
              cases: passRate?.cases ?? 0,
              remaining: isLast ? 1 : remainingVariance(passes.filter(isScored).map((one) => ofPasses(one, lastLook))),
            },
          ]),
      ...Object.entries(floor?.metrics ?? {}).map(([name, minimum]): SummedFloor => {
        const measured = (byMetric.get(name) ?? []).filter(isScored);
        const remaining = isLast ? 1 : remainingVariance(measured.map((one) => ofPasses(one, lastLook)));
        return { name, minimum, ...meanOf(measured, 1 - alpha), cases: measured.length, remaining };
      }),
    ],
    // Errors in cases that the baseline lacks also make the pass rate uncertain.
    erroredShares: [figures.erroredShares[0], Math.max(figures.erroredShares[1], erroredShare(passes))],
    remaining: isLast ? 1 : remainingVariance(scored.map(({ a, b }) => ofDifference(a, b, lastLook))),
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

/** The mean over cases with a value, with its interval. */
function meanOf(cases: readonly CaseMeasurement[], confidence: number): Pick<MeasuredFloor, 'mean' | 'ci'> {
  if (cases.length === 0) return { mean: null, ci: null };
  const means = cases.map(({ mean }) => mean!);
  const sum = means.reduce((total, mean) => total + mean, 0);
  return { mean: sum / means.length, ci: plainInterval(caseMeanInterval(means, confidence)!) };
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
  const { drift, floors } = summed;
  const reason = decideTarget({ ...measured, drift, floors, common: figures.common }, level);
  const prospect = prospectFor(reason, summed, rules);
  const ofMetrics = floors.filter(({ name }) => name !== PASS_RATE);
  const target = {
    ...measured,
    ...(ofMetrics.length > 0 && {
      floors: ofMetrics.map(({ name, minimum, mean, ci }) => ({ name, minimum, mean, ci })),
    }),
    ...(drift.length > 0 && { drift }),
    cases_needed: prospect.casesNeeded,
  };
  const subject = { pairs: [pair], amongOthers, metric: metricOf(measure) };
  const text = sentenceOnTarget({ reason, figures, outcomes, subject, level, target, floors, family, drift });
  return {
    prospect,
    target: { target: pair.b, baseline_target: pair.a, result: resultOf(reason), reason, text, ...target },
  };
}

const DECIDED: Prospect = { canPass: false, canFail: false, casesNeeded: null };
const OPEN: Prospect = { canPass: true, canFail: true, casesNeeded: null };

function prospectFor(
  reason: GateReason,
  { figures, interval: { centre, se, df }, floors, remaining }: SummedPair,
  { level: { alpha, margin }, family }: PairRules,
): Prospect {
  switch (reason) {
    case 'critical_unconfirmed':
      return OPEN;
    case 'floor_undecided': {
      const { cases: n, ci, minimum, remaining: left } = floors.find(isUndecided)!;
      if (ci === null) return DECIDED;
      const half = (ci[1] - ci[0]) / 2;
      const limits = { passAbove: minimum, failBelow: minimum };
      const halves = { pass: half, fail: half };
      const centre = (ci[0] + ci[1]) / 2;
      return prospectOf({
        n,
        centre,
        se: half / normalQuantile(1 - alpha / 2),
        halves,
        ...limits,
        remaining: left,
      });
    }
    case 'undecided': {
      const half = (level: number): number => tQuantile(1 - level / 2, df) * se;
      const limits = { passAbove: -margin, failBelow: 0 };
      const halves = { pass: half(alpha), fail: half(alpha / Math.max(1, family)) };
      return prospectOf({ n: figures.n_cases, centre, se, halves, ...limits, remaining });
    }
    default:
      return DECIDED;
  }
}
