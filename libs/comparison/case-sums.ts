import type { CaseMeasurement, PairedCase } from './measurements.js';

/**
 * Sums of a case over the added pairs of targets. It keeps only sums, so that memory does not grow with the number of
 * pairs, and as separate fields, because a comparison may have 100,000 cases.
 */
export class CaseSums {
  /** Pairs with a scored sample on both sides. The sums up to `weightedDifference` are over these. */
  pairs = 0;
  a = 0;
  b = 0;
  difference = 0;
  scoredA = 0;
  scoredB = 0;
  /** Sum of the variances of the difference within the case; null once a side has fewer than two samples. */
  within: number | null = 0;
  /** Number of sample differences: the sample count of the side with fewer samples. */
  weight = 0;
  weightedDifference = 0;

  /**
   * Pairs with a sample on both sides, scored or errored, and the sums of their worst-case and best-case differences.
   */
  sampledPairs = 0;
  low = 0;
  high = 0;

  /** All samples of each side, and how many of them errored. */
  samplesA = 0;
  samplesB = 0;
  erroredA = 0;
  erroredB = 0;

  constructor(readonly of: Pick<PairedCase, 'category' | 'tool' | 'cluster'>) {}

  add({ a, b }: Pick<PairedCase, 'a' | 'b'>): void {
    this.samplesA += a.scored + a.errored;
    this.samplesB += b.scored + b.errored;
    this.erroredA += a.errored;
    this.erroredB += b.errored;
    this.#addBounds(a, b);
    if (a.mean === null || b.mean === null) return;
    this.pairs++;
    this.a += a.mean;
    this.b += b.mean;
    this.difference += b.mean - a.mean;
    this.scoredA += a.scored;
    this.scoredB += b.scored;
    if (this.within !== null) {
      const known = a.variance !== null && b.variance !== null;
      this.within = known ? this.within + (a.variance! / a.scored + b.variance! / b.scored) : null;
    }
    const weight = Math.min(a.scored, b.scored);
    this.weight += weight;
    this.weightedDifference += weight * (b.mean - a.mean);
  }

  #addBounds(a: CaseMeasurement, b: CaseMeasurement): void {
    if (a.scored + a.errored === 0 || b.scored + b.errored === 0) return;
    this.sampledPairs++;
    this.low += meanIfErrored(b, 0) - meanIfErrored(a, 1);
    this.high += meanIfErrored(b, 1) - meanIfErrored(a, 0);
  }
}

/** The mean if every errored sample had this score. */
const meanIfErrored = ({ mean, scored, errored }: CaseMeasurement, score: number): number =>
  errored === 0 ? mean! : ((mean ?? 0) * scored + score * errored) / (scored + errored);

/** The unit of analysis in a comparison: a case, or a cluster of cases. */
export interface Unit {
  a: number;
  b: number;
  difference: number;
  /** The variance of the difference within the unit; null when unknown. */
  within: number | null;
  weight: number;
  weightedDifference: number;
}

/** Groups the cases by unit. */
export function groupByCluster(cases: readonly CaseSums[]): CaseSums[][] {
  const clusters = new Map<string, CaseSums[]>();
  const groups: CaseSums[][] = [];
  for (const one of cases) {
    const { cluster } = one.of;
    const group = cluster === null ? undefined : clusters.get(cluster);
    if (group) {
      group.push(one);
      continue;
    }
    const made = [one];
    groups.push(made);
    if (cluster !== null) clusters.set(cluster, made);
  }
  return groups;
}

/**
 * The mean over the cases of a unit, each averaged over its pairs. Undefined when no case has a score on both sides.
 */
export function unitOf(group: readonly CaseSums[]): Unit | undefined {
  const measured = group.filter((one) => one.pairs > 0);
  if (measured.length === 0) return undefined;
  const unit: Unit = { a: 0, b: 0, difference: 0, within: 0, weight: 0, weightedDifference: 0 };
  for (const one of measured) {
    const share = 1 / (one.pairs * measured.length);
    unit.a += one.a * share;
    unit.b += one.b * share;
    unit.difference += one.difference * share;
    unit.within = unit.within === null || one.within === null ? null : unit.within + one.within * share * share;
    unit.weight += one.weight;
    unit.weightedDifference += one.weightedDifference;
  }
  return unit;
}

/** Worst-case and best-case differences of a unit, given its errored samples. Undefined without samples. */
export function boundsOf(group: readonly CaseSums[]): [low: number, high: number] | undefined {
  const sampled = group.filter((one) => one.sampledPairs > 0);
  if (sampled.length === 0) return undefined;
  const mean = (key: 'low' | 'high'): number =>
    sampled.reduce((sum, one) => sum + one[key] / one.sampledPairs, 0) / sampled.length;
  return [mean('low'), mean('high')];
}
