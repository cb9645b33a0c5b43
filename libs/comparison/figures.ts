import type { Estimate } from '#lib/contracts/comparison';
import { tQuantile } from '#lib/scoring/statistics/distributions';
import { pairedInterval, smallestDetectable } from '#lib/scoring/statistics/paired';
import { boundsOf, groupByCluster, unitOf, type CaseSums, type Unit } from './case-sums.js';

/** The figures of a difference, before any conclusion. */
export type Figures = Omit<
  Estimate,
  'measure' | 'cases_for_margin' | 'small' | 'robust' | 'verdict' | 'reasons' | 'text'
> & {
  /** Units in both runs, scored or not. */
  common: number;
  /** Whether units are groups of cases, and the number of cases with a score on both sides. */
  grouped: boolean;
  scoredCases: number;
  /** The share of errored samples on each side, over the common cases. */
  erroredShares: [number, number];
};

/**
 * Measures the difference of two runs over their common cases. Each case has the same weight regardless of its number
 * of samples: 20 cases with 50 samples have the interval of 20 cases.
 */
export function measureDifference(cases: readonly CaseSums[]): Figures {
  const groups = groupByCluster(cases);
  const units = groups.map(unitOf).filter((unit) => unit !== undefined);
  const scored = cases.filter((one) => one.pairs > 0);
  const pairs = sumOf(scored, (one) => one.pairs);
  const sumOfCases = (of: 'erroredA' | 'erroredB' | 'samplesA' | 'samplesB'): number => sumOf(cases, (one) => one[of]);
  const sumOfScored = (of: 'scoredA' | 'scoredB'): number => sumOf(scored, (one) => one[of]);
  return {
    n_cases: units.length,
    samples: [shareOf(sumOfScored('scoredA'), pairs), shareOf(sumOfScored('scoredB'), pairs)],
    ...differenceOf(units),
    bounds: meanBounds(groups),
    variance: varianceOf(units),
    classic: classicOf(units),
    common: groups.length,
    grouped: groups.length < cases.length,
    scoredCases: scored.length,
    erroredShares: [
      shareOf(sumOfCases('erroredA'), sumOfCases('samplesA')),
      shareOf(sumOfCases('erroredB'), sumOfCases('samplesB')),
    ],
  };
}

const NO_DIFFERENCE = {
  mean_a: null,
  mean_b: null,
  difference: null,
  ci: null,
  ci90: null,
  se: null,
  df: null,
  p: null,
  smallest_detectable: null,
};

function differenceOf(units: readonly Unit[]) {
  if (units.length === 0) return NO_DIFFERENCE;
  const differences = Float64Array.from(units, (unit) => unit.difference);
  const { mean, ci, se, df, p } = pairedInterval(differences);
  return {
    mean_a: plain(sumOf(units, (unit) => unit.a) / units.length),
    mean_b: plain(sumOf(units, (unit) => unit.b) / units.length),
    difference: plain(mean!),
    ci: plainInterval(ci),
    ci90: plainInterval(pairedInterval(differences, 0.9).ci),
    se,
    df,
    p,
    smallest_detectable: smallestDetectable({ se, df }),
  };
}

function meanBounds(groups: readonly CaseSums[][]): [number, number] | null {
  const bounds = groups.map(boundsOf).filter((one) => one !== undefined);
  if (bounds.length === 0) return null;
  return plainInterval([
    sumOf(bounds, ([low]) => low) / bounds.length,
    sumOf(bounds, ([, high]) => high) / bounds.length,
  ]);
}

/** Splits the variance of the differences: more samples only reduce the within-case part. */
function varianceOf(units: readonly Unit[]): Estimate['variance'] {
  const n = units.length;
  if (n < 2 || units.some((unit) => unit.within === null)) return null;
  const mean = sumOf(units, (unit) => unit.difference) / n;
  const total = sumOf(units, (unit) => (unit.difference - mean) ** 2) / (n - 1);
  const within = sumOf(units, (unit) => unit.within!) / n;
  return { between: Math.max(0, total - within), within };
}

/**
 * The t interval of the sample differences with the cluster-robust error CR1, as in statsmodels. Samples of the two
 * sides are not paired individually, so a case contributes as many differences as its side with fewer samples has, each
 * equal to the case's difference. With the same number of samples in every case, it is the t interval of the cases'
 * differences.
 */
function classicOf(units: readonly Unit[]): Estimate['classic'] {
  const df = units.length - 1;
  if (df < 1) return null;
  const weight = sumOf(units, (unit) => unit.weight);
  const mean = sumOf(units, (unit) => unit.weightedDifference) / weight;
  const squares = sumOf(units, (unit) => (unit.weightedDifference - unit.weight * mean) ** 2);
  const se = Math.sqrt((squares * units.length) / df) / weight;
  const half = tQuantile(0.975, df) * se;
  return { se, ci: plainInterval([mean - half, mean + half]) };
}

/** Roughly how many cases would detect a difference of the margin with 80 % power; null when no number would. */
export function casesForMargin(
  { n_cases: n, smallest_detectable: detectable }: Pick<Figures, 'n_cases' | 'smallest_detectable'>,
  margin: number,
): number | null {
  if (detectable === null || margin === 0) return null;
  const cases = Math.ceil(n * (detectable / margin) ** 2);
  return Number.isSafeInteger(cases) ? cases : null;
}

const sumOf = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);
const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
/** JSON can represent -0, which no reader expects. */
const plain = (value: number): number => value + 0;
export const plainInterval = ([low, high]: readonly [number, number]): [number, number] => [plain(low), plain(high)];
