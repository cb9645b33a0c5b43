import { MIN_COMMON_CASES, SIGNIFICANCE_LEVEL } from '#lib/contracts/values/comparison';
import { holm } from '#lib/scoring/statistics/holm';
import { pairedInterval } from '#lib/scoring/statistics/paired';

/** The results of a target on the cases of a run. */
export interface RankedTarget {
  /** The mean score of each case; NaN for a case without one. All targets have the same cases in the same order. */
  scores: Float64Array;
  /** The share of its results that errored. */
  erroredShare: number;
}

/** The difference of two targets over the cases scored in both, the second minus the first. */
export interface PairDifference {
  first: number;
  second: number;
  cases: number;
  difference: number;
  p: number;
}

/** Compares every pair of targets, one after another. */
export function* comparePairs(targets: readonly RankedTarget[]): Generator<PairDifference> {
  const differences = new Float64Array(targets[0]?.scores.length ?? 0);
  for (let first = 0; first < targets.length; first++) {
    for (let second = first + 1; second < targets.length; second++) {
      const [a, b] = [targets[first]!.scores, targets[second]!.scores];
      let cases = 0;
      for (let i = 0; i < a.length; i++) {
        const difference = b[i]! - a[i]!;
        if (!Number.isNaN(difference)) differences[cases++] = difference;
      }
      const { mean, p } = pairedInterval(differences.subarray(0, cases));
      yield { first, second, cases, difference: mean ?? 0, p };
    }
  }
}

export interface Ranks {
  /** The highest and the lowest possible rank of each target, from 1. */
  ranks: [number, number][];
  /** The p value of each pair, corrected for their number by Holm. */
  corrected: number[];
}

/**
 * The possible ranks of each target: behind those shown to be better, ahead of those shown to be worse. All pairs are
 * corrected for their number, so that with 95 % confidence every true rank is among the possible ones.
 * @see Mogstad, Romano, Shaikh, Wilhelm, Inference for Ranks, Review of Economic Studies 91 (2024)
 */
export function ranksOf(
  targets: readonly Pick<RankedTarget, 'erroredShare'>[],
  pairs: readonly PairDifference[],
  maxErroredShare: number,
): Ranks {
  const ranks = targets.map((): [number, number] => [1, targets.length]);
  const corrected = holm(pairs.map(({ p }) => p));
  const isMeasured = ({ first, second, cases }: PairDifference): boolean =>
    cases >= MIN_COMMON_CASES &&
    Math.max(targets[first]!.erroredShare, targets[second]!.erroredShare) <= maxErroredShare;
  pairs.forEach((pair, index) => {
    if (!isMeasured(pair) || corrected[index]! >= SIGNIFICANCE_LEVEL) return;
    const [better, worse] = pair.difference > 0 ? [pair.second, pair.first] : [pair.first, pair.second];
    ranks[better]![1]--;
    ranks[worse]![0]++;
  });
  return { ranks, corrected };
}
