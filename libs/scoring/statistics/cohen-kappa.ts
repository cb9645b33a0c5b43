import { normalQuantile } from './distributions.js';

/** How much a disagreement counts: all alike for `none`, else by the distance of the two levels or its square. */
export type KappaWeights = 'none' | 'linear' | 'quadratic';
const DISTANCES: Record<KappaWeights, (i: number, j: number) => number> = {
  none: (i, j) => Number(i !== j),
  linear: (i, j) => Math.abs(i - j),
  quadratic: (i, j) => (i - j) ** 2,
};

/**
 * Cohen's kappa of two raters with its large-sample interval (Fleiss, Cohen, Everitt 1969), not clipped to -1..1. All
 * null when chance alone would always agree: no ratings, or one level.
 * @param table counts: a row for each level of the first rater, a column for each of the second
 */
export function cohenKappa(
  table: readonly (readonly number[])[],
  weights: KappaWeights,
  confidence = 0.95,
): { kappa: number | null; se: number | null; ci: [number, number] | null } {
  const distance = DISTANCES[weights];
  const levels = [...table.keys()];
  const sum = (of: (i: number) => number): number => levels.reduce((total, i) => total + of(i), 0);
  const n = sum((i) => sum((j) => table[i]![j]!));
  const rows = levels.map((i) => sum((j) => table[i]![j]!) / n);
  const columns = levels.map((j) => sum((i) => table[i]![j]!) / n);
  const chance = sum((i) => sum((j) => distance(i, j) * rows[i]! * columns[j]!));
  if (!(chance > 0)) return { kappa: null, se: null, ci: null };
  const share = sum((i) => sum((j) => (distance(i, j) * table[i]![j]!) / n)) / chance; // 1 - kappa
  const fromRow = levels.map((i) => sum((j) => distance(i, j) * columns[j]!));
  const fromColumn = levels.map((j) => sum((i) => distance(i, j) * rows[i]!));
  // The contribution of each cell to kappa. The mean is (1 - kappa) * chance, so that perfect agreement has a variance
  // of 0.
  const deviation = (i: number, j: number): number => share * (fromRow[i]! + fromColumn[j]! - chance) - distance(i, j);
  const se = Math.sqrt(sum((i) => sum((j) => (table[i]![j]! / n) * deviation(i, j) ** 2)) / n) / chance;
  const half = normalQuantile((1 + confidence) / 2) * se;
  return { kappa: 1 - share, se, ci: [1 - share - half, 1 - share + half] };
}
