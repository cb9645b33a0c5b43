import { SIGNIFICANCE_LEVEL } from '#lib/contracts/values/comparison';

/**
 * Indexed by the number of looks, from 1: Pocock-type levels (Biometrika 64, 1977) for looks at 1, 2, 4 and 8 times the
 * first samples. Such looks are less correlated than equally spaced ones, so the levels are slightly stricter.
 */
const LEVELS = [SIGNIFICANCE_LEVEL, 0.0294, 0.0209, 0.016];

/**
 * The two-sided significance level of each look, so that all looks together have the error rate of one test at 5 %.
 * @param looks 1 to 4
 */
export function alphaOfLook(looks: number): number {
  const alpha = LEVELS[looks - 1];
  if (alpha === undefined) throw new RangeError(`A gate has 1 to ${LEVELS.length} looks, not ${looks}.`);
  return alpha;
}
