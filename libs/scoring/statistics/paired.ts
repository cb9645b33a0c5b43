import { tCdf, tOutside, tQuantile } from './distributions.js';

export interface PairedInterval {
  /** The plain mean of the differences; null without differences. */
  mean: number | null;
  /** Offsets of the pseudo-cases from zero. */
  pseudo: number;
  /** The centre of the interval before clipping. */
  centre: number;
  se: number;
  df: number;
  p: number;
  /** Clipped to -1..1. */
  ci: [number, number];
}

/**
 * The t interval of paired differences after adding two pseudo-cases, one up and one down: Bonett and Price's idea
 * (2012) for scores of any kind. Where few cases differ, the plain t interval and the bootstrap are far too narrow. `p`
 * comes from the same computation, so it is below 1 - `confidence` exactly when 0 lies outside the interval.
 * @param differences one for each case, -1..1
 */
export function pairedInterval(differences: ArrayLike<number>, confidence = 0.95): PairedInterval {
  const n = differences.length;
  let [sum, squares, other] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const difference = differences[i]!;
    sum += difference;
    squares += difference * difference;
    if (Math.abs(difference) > 1e-12) other++;
  }
  const pseudo = Math.sqrt((1 + squares) / (1 + other));
  const all = n + 2;
  const centre = sum / all;
  const se = Math.sqrt((squares + 2 * pseudo * pseudo - (sum * sum) / all) / (all - 1) / all);
  const df = all - 1;
  const half = tQuantile((1 + confidence) / 2, df) * se;
  return {
    mean: n === 0 ? null : sum / n,
    pseudo,
    centre,
    se,
    df,
    p: tOutside(centre / se, df),
    ci: [Math.max(-1, centre - half), Math.min(1, centre + half)],
  };
}

/**
 * Two one-sided tests with the same pseudo-cases: is the difference shown to lie within the margin on both sides? It is
 * when the interval of confidence 1 - 2 `alpha` does.
 * @returns p values of the hypotheses. p_below: the difference is at or below -margin; p_above: it is at or above
 *   +margin; p: the larger
 */
export function equivalence(
  differences: ArrayLike<number>,
  margin: number,
  alpha = 0.05,
): { p_below: number; p_above: number; p: number; equivalent: boolean } {
  const { centre, se, df } = pairedInterval(differences);
  const p_below = tCdf(-(centre + margin) / se, df);
  const p_above = tCdf((centre - margin) / se, df);
  const p = Math.max(p_below, p_above);
  return { p_below, p_above, p, equivalent: p < alpha };
}

/** A mean with its t test against 0. Undefined figures (one value, or no spread) are null. */
export interface TInterval {
  mean: number | null;
  se: number | null;
  t: number | null;
  df: number;
  p: number | null;
  ci: [number, number] | null;
}

/** The plain t interval of a mean. */
export const pairedT = (differences: ArrayLike<number>, confidence = 0.95): TInterval =>
  clusterT(
    differences,
    Array.from(differences, (_, index) => index),
    confidence,
  );

/**
 * The t interval of a mean over values that come in clusters, with the cluster-robust error CR1 (Cameron, Gelbach,
 * Miller 2008) and clusters - 1 degrees of freedom. With clusters of one size it is the t interval of their means.
 * @param clusters the cluster of each value
 */
export function clusterT(
  values: ArrayLike<number>,
  clusters: ArrayLike<number | string>,
  confidence = 0.95,
): TInterval {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  const residuals = new Map<number | string, number>();
  for (let i = 0; i < n; i++) residuals.set(clusters[i]!, (residuals.get(clusters[i]!) ?? 0) + values[i]! - mean);
  const df = Math.max(0, residuals.size - 1);
  if (df === 0) return { mean: n === 0 ? null : mean, se: null, t: null, df, p: null, ci: null };
  let squares = 0;
  for (const residual of residuals.values()) squares += residual * residual;
  const se = Math.sqrt((squares * residuals.size) / df) / n;
  // Equal values leave a rounding error of about 1e-16 of their mean.
  if (se <= 1e-14 * Math.abs(mean)) return { mean, se: 0, t: null, df, p: mean === 0 ? null : 0, ci: [mean, mean] };
  const half = tQuantile((1 + confidence) / 2, df) * se;
  return { mean, se, t: mean / se, df, p: tOutside(mean / se, df), ci: [mean - half, mean + half] };
}

/**
 * The true difference that a two-sided test at `alpha` shows with the chance `power`.
 * @param se the standard error of the difference, with `df` degrees of freedom
 */
export const smallestDetectable = (data: { se: number; df: number; alpha?: number; power?: number }): number =>
  (tQuantile(1 - (data.alpha ?? 0.05) / 2, data.df) + tQuantile(data.power ?? 0.8, data.df)) * data.se;
