import { SIGNIFICANCE_LEVEL } from '#lib/contracts/comparison';

/**
 * By the number of looks, from 1: levels of Pocock's kind (Biometrika 64, 1977), for looks after 1, 2, 4 and 8 times
 * the first samples. Such looks have less in common than those at equal steps, so the levels are a little stricter.
 */
const LEVELS = [SIGNIFICANCE_LEVEL, 0.0294, 0.0209, 0.016];

/**
 * The two-sided level of each of some looks, so that all of them together err as seldom as one at 5 %.
 * @param looks 1 to 4
 */
export function alphaOfLook(looks: number): number {
  const alpha = LEVELS[looks - 1];
  if (alpha === undefined) throw new RangeError(`A gate has 1 to ${LEVELS.length} looks, not ${looks}.`);
  return alpha;
}
