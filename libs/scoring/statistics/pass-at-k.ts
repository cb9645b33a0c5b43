/**
 * The chance that k of n trials, c of which succeed, all succeed: C(c,k) / C(n,k) (tau-bench). @throws RangeError when
 * k > n.
 */
export function passHatK(trials: number, successes: number, k: number): number {
  if (k > trials) throw new RangeError(`k is ${k}, but there are only ${trials} trials.`);
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, successes - i) / (trials - i);
  return chance;
}

/** The chance that at least one of k trials succeeds: 1 - C(n-c,k) / C(n,k) (Chen et al. 2021). */
export const passAtK = (trials: number, successes: number, k: number): number =>
  1 - passHatK(trials, trials - successes, k);
