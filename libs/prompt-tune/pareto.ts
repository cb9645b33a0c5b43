/** Scores that differ by less are equal. */
export const SAME_SCORE = 1e-9;

/** A candidate that is among the best on some cases, and the number of those cases. */
export interface FrontMember {
  index: number;
  wins: number;
}

/**
 * The Pareto front, as in GEPA (https://arxiv.org/abs/2507.19457): a candidate is dropped when, on each case where it
 * is among the best, another of the best remains. The candidate with the worst mean is dropped first; on a tie, the
 * later one.
 * @param scores a row per candidate, a column per case; none is NaN
 * @returns the remaining candidates in their order; empty when there are no cases
 */
export function frontOf(scores: readonly Float64Array[]): FrontMember[] {
  const cases = scores[0]?.length ?? 0;
  const best = new Float64Array(cases).fill(-Infinity);
  for (const row of scores) row.forEach((score, n) => (best[n] = Math.max(best[n]!, score)));
  const wins = scores.map((row) => [...row.keys()].filter((n) => row[n]! >= best[n]! - SAME_SCORE));
  /** How many of the remaining candidates are among the best, per case. */
  const winners = new Int32Array(cases);
  for (const n of wins.flat()) winners[n]!++;

  const means = scores.map((row) => row.reduce((sum, score) => sum + score, 0));
  const worstFirst = [...scores.keys()].sort((a, b) => means[a]! - means[b]! || b - a);
  const dropped = new Set<number>();
  // One pass is enough: a candidate that could not be dropped cannot be dropped when fewer remain.
  for (const index of worstFirst) {
    if (wins[index]!.some((n) => winners[n] === 1)) continue;
    dropped.add(index);
    for (const n of wins[index]!) winners[n]!--;
  }
  return [...scores.keys()]
    .filter((index) => !dropped.has(index))
    .map((index) => ({ index, wins: wins[index]!.length }));
}

/**
 * Draws a member of the front with a probability proportional to its wins.
 * @param front at least one member
 * @param draw in [0, 1)
 */
export function drawParent<Member extends { wins: number }>(front: readonly Member[], draw: number): Member {
  let left = draw * front.reduce((sum, { wins }) => sum + wins, 0);
  return front.find(({ wins }) => (left -= wins) < 0) ?? front.at(-1)!;
}
