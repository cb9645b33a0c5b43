import { SIGNIFICANCE_LEVEL } from '#lib/contracts/values/comparison';
import type { ComparisonVerdict } from '#lib/contracts/comparison';
import { holm } from '#lib/scoring/statistics/holm';

/**
 * The runs that are still better after correcting for the number of comparisons with one baseline.
 * @param comparisons all comparisons with the baseline, each with the p value of its interval
 * @returns ids of runs
 * @see Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979)
 */
export function improvedAfterCorrection(
  comparisons: readonly { runId: string; verdict: ComparisonVerdict; p: number }[],
): string[] {
  const corrected = holm(comparisons.map(({ p }) => p));
  return comparisons
    .filter(({ verdict }, index) => verdict === 'improved' && corrected[index]! < SIGNIFICANCE_LEVEL)
    .map(({ runId }) => runId);
}
