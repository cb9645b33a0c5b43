import { SIGNIFICANCE_LEVEL, type ComparisonVerdict } from '#lib/contracts/comparison';
import { holm } from '#lib/scoring/statistics/holm';

/**
 * The runs that are better even when all comparisons with one baseline are corrected for their number.
 * @param comparisons all that were made with the baseline, each with the p value of its interval
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
