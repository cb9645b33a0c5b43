import { tQuantile } from './distributions.js';

/**
 * The interval of the mean of one run's cases, clipped to 0..1; null without cases: the t interval after adding two
 * pseudo-cases, 0 and 1. So 20 cases of 20 passed is 0.86 to 1, not 1 to 1.
 * @param caseMeans the mean over its scored samples for each case, 0..1: the samples of one case are not independent
 */
export function caseMeanInterval(caseMeans: ArrayLike<number>, confidence = 0.95): [number, number] | null {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < caseMeans.length; i++) {
    sum += caseMeans[i]!;
    squares += caseMeans[i]! ** 2;
  }
  return intervalOfSums({ n: caseMeans.length, sum, squares }, confidence);
}

/** The same from the number of cases, the sum of their means and that of the squares of these. */
export function intervalOfSums(
  of: { n: number; sum: number; squares: number },
  confidence = 0.95,
): [number, number] | null {
  if (of.n === 0) return null;
  const [all, sum, squares] = [of.n + 2, of.sum + 1, of.squares + 1];
  const centre = sum / all;
  const half = tQuantile((1 + confidence) / 2, all - 1) * Math.sqrt((squares - sum * centre) / (all - 1) / all);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
