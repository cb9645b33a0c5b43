/** Scores that differ by less are the same. */
export const SAME_SCORE = 1e-9;

/** A candidate that is among the best on some cases, and on how many. */
export interface FrontMember {
  index: number;
  wins: number;
}

/**
 * The candidates that are worth changing further, as GEPA chooses them (https://arxiv.org/abs/2507.19457): a candidate
 * is left out when each case that it is among the best on has another one of the best that stays. The worst mean is
 * left out first, and of equal ones the later.
 * @param scores a row for each candidate, a column for each case; none is NaN
 * @returns those that stay, in their order; none when there are no cases
 */
export function frontOf(scores: readonly Float64Array[]): FrontMember[] {
  const cases = scores[0]?.length ?? 0;
  const best = new Float64Array(cases).fill(-Infinity);
  for (const row of scores) row.forEach((score, n) => (best[n] = Math.max(best[n]!, score)));
  const wins = scores.map((row) => [...row.keys()].filter((n) => row[n]! >= best[n]! - SAME_SCORE));
  /** How many of those that stay are among the best on each case. */
  const winners = new Int32Array(cases);
  for (const n of wins.flat()) winners[n]!++;

  const means = scores.map((row) => row.reduce((sum, score) => sum + score, 0));
  const worstFirst = [...scores.keys()].sort((a, b) => means[a]! - means[b]! || b - a);
  const dropped = new Set<number>();
  // One pass is enough: who could not be left out before cannot be left out when fewer stay.
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
 * Draws a member of the front with a probability in proportion to its wins.
 * @param front at least one member
 * @param draw in [0, 1)
 */
export function drawParent<Member extends { wins: number }>(front: readonly Member[], draw: number): Member {
  let left = draw * front.reduce((sum, { wins }) => sum + wins, 0);
  return front.find(({ wins }) => (left -= wins) < 0) ?? front.at(-1)!;
}
