import { MIN_COMMON_CASES, SIGNIFICANCE_LEVEL } from '#lib/contracts/values/comparison';
import { holm } from '#lib/scoring/statistics/holm';
import { pairedInterval } from '#lib/scoring/statistics/paired';

/** An arm of the last rung, measured on the same cases as the others. */
export interface Finalist {
  arm: number;
  /** The mean score of each case; NaN for a case without one. All finalists have the same cases. */
  scores: Float64Array;
  /** The share of its results that errored. */
  erroredShare: number;
  /** In US dollars; null without prices. */
  costPerCase: number | null;
  latencyP50Ms: number | null;
  /** The number of settings that differ from the base. */
  changes: number;
}

export interface Recommendation {
  /** Best first; those with too many errors last. */
  ranking: Finalist[];
  /** The leader, and the arms within the margin of it that it is not shown to be better than. */
  tied: number[];
  /**
   * Of the tied arms: the cheapest (within 1 %), then the fastest (within 10 %), then the one with the fewest changes.
   * Null when nothing is scored.
   */
  recommended: number | null;
}

/** @param margin the smallest difference that matters */
export function recommend(finalists: readonly Finalist[], margin: number, maxErroredShare: number): Recommendation {
  const isMeasured = ({ erroredShare, scores }: Finalist): boolean =>
    erroredShare <= maxErroredShare && meanOf(scores) !== null;
  const ranking = [...finalists].sort(
    (a, b) => Number(isMeasured(b)) - Number(isMeasured(a)) || (meanOf(b.scores) ?? -1) - (meanOf(a.scores) ?? -1),
  );
  const [leader, ...others] = ranking.filter(isMeasured);
  if (!leader) return { ranking, tied: [], recommended: null };
  const behind = others.map((other) => compare(leader, other));
  const corrected = holm(behind.map(({ p }) => p));
  const tied = [
    leader,
    ...others.filter((_, index) => behind[index]!.difference <= margin && corrected[index]! >= SIGNIFICANCE_LEVEL),
  ];
  return { ranking, tied: tied.map(({ arm }) => arm), recommended: cheapest(tied).arm };
}

/** How far `other` is behind, over the cases scored in both. */
function compare(leader: Finalist, other: Finalist): { difference: number; p: number } {
  const differences = leader.scores
    .map((score, index) => score - other.scores[index]!)
    .filter((difference) => !Number.isNaN(difference));
  const { mean, p } = pairedInterval(differences);
  return { difference: mean ?? 0, p: differences.length < MIN_COMMON_CASES ? 1 : p };
}

function meanOf(scores: Float64Array): number | null {
  const scored = scores.filter((score) => !Number.isNaN(score));
  return scored.length ? scored.reduce((sum, score) => sum + score, 0) / scored.length : null;
}

/** Smaller differences are noise: replies vary in length, and networks in speed. */
const SAME_COST = 0.01;
const SAME_LATENCY = 0.1;

/** The cheapest, then the fastest, then the one with the fewest changes. */
function cheapest(finalists: readonly Finalist[]): Finalist {
  const cheap = lowest(finalists, ({ costPerCase }) => costPerCase, SAME_COST);
  const fast = lowest(cheap, ({ latencyP50Ms }) => latencyP50Ms, SAME_LATENCY);
  return fast.toSorted((a, b) => a.changes - b.changes)[0]!;
}

/** The finalists with the lowest value, or above it by less than this share; all when none has a value. */
function lowest(
  finalists: readonly Finalist[],
  valueOf: (finalist: Finalist) => number | null,
  share: number,
): readonly Finalist[] {
  const values = finalists.map(valueOf).filter((value) => value !== null);
  if (values.length === 0) return finalists;
  const most = Math.min(...values) * (1 + share);
  return finalists.filter((finalist) => (valueOf(finalist) ?? Infinity) <= most);
}
