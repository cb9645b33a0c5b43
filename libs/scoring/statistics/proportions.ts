import { binomialCdf, normalQuantile } from './distributions.js';

/**
 * The interval of a proportion (Wilson 1927), 0..1; null without trials. It assumes independent trials, which samples
 * of one case are not.
 */
export function wilson(successes: number, n: number, confidence = 0.95): [number, number] | null {
  if (n === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const [square, all] = [z * z, n + z * z];
  const half = z * Math.sqrt(square / 4 + successes * (1 - successes / n));
  const centre = successes + square / 2;
  return [Math.max(0, (centre - half) / all), Math.min(1, (centre + half) / all)];
}

/** The two-sided p of McNemar's exact test: `fixed` cases passed on one side only, `broken` ones on the other. */
export const mcnemarExact = (fixed: number, broken: number): number =>
  Math.min(1, 2 * binomialCdf(Math.min(fixed, broken), fixed + broken, 0.5));

/** McNemar's mid-p, less conservative than the exact p (Fagerland, Lydersen, Laake 2013). 1 if no case differs. */
export function mcnemarMidP(fixed: number, broken: number): number {
  const [fewer, n] = [Math.min(fixed, broken), fixed + broken];
  if (n === 0) return 1;
  const observed = binomialCdf(fewer, n, 0.5);
  const below = binomialCdf(fewer - 1, n, 0.5);
  return fixed === broken ? 1 - (observed - below) / 2 : observed + below;
}

/** Counts of cases by the sides on which they passed. */
export interface PairedCounts {
  both: number;
  only_a: number;
  only_b: number;
  neither: number;
}

/**
 * The difference of two paired proportions, b minus a, with its interval: Newcombe 1998 (Statistics in Medicine 17:
 * 2635), method 10. Both are null when there are no cases.
 */
export function newcombePaired(
  { both, only_a, only_b, neither }: PairedCounts,
  confidence = 0.95,
): { difference: number | null; ci: [number, number] | null } {
  const n = both + only_a + only_b + neither;
  const [passedA, passedB] = [both + only_a, both + only_b];
  const [ciA, ciB] = [wilson(passedA, n, confidence), wilson(passedB, n, confidence)];
  if (!ciA || !ciB) return { difference: null, ci: null };
  const [a, b] = [passedA / n, passedB / n];
  const product = both * neither - only_a * only_b;
  const corrected = product > n / 2 ? product - n / 2 : Math.min(0, product);
  const margins = passedA * (n - passedA) * passedB * (n - passedB);
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const apart = (x: number, y: number): number => Math.sqrt(x * x - 2 * phi * x * y + y * y);
  const difference = (only_b - only_a) / n;
  return { difference, ci: [difference - apart(b - ciB[0], ciA[1] - a), difference + apart(ciB[1] - b, a - ciA[0])] };
}
