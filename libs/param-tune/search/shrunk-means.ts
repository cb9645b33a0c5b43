import type { ArmScores } from './arm-scores.js';

/**
 * Estimates each arm: its own mean, shrunk towards the prediction from its parameters to the extent that the mean is
 * noise.
 * @param arms the arms to estimate, all measured on the first `cases` cases
 * @param predicted the expected score of each arm, by its number
 */
export function shrunkMeans(
  scores: ArmScores,
  arms: readonly number[],
  cases: number,
  predicted: Float64Array,
): Map<number, number> {
  const noise = noiseWithin(scores, arms, cases);
  const own = new Map(arms.map((arm) => [arm, scores.mean(arm, cases)]));
  const misses = arms.flatMap((arm) => {
    const { mean } = own.get(arm)!;
    return mean === null ? [] : [mean - predicted[arm]!];
  });
  const spread = Math.max(0, variance(misses) - noise / cases);
  return new Map(
    arms.map((arm) => {
      const { mean, cases: scored } = own.get(arm)!;
      if (mean === null) return [arm, -Infinity];
      const weight = spread === 0 && noise === 0 ? 1 : spread / (spread + noise / scored);
      return [arm, weight * mean + (1 - weight) * predicted[arm]!];
    }),
  );
}

/** The pooled variance within arms of their case scores, after subtracting the mean of each case over all arms. */
function noiseWithin(scores: ArmScores, arms: readonly number[], cases: number): number {
  const rows = arms.map((arm) => scores.scores(arm, cases));
  const caseMeans = Float64Array.from({ length: cases }, (_, index) => {
    const scored = rows.map((row) => row[index]!).filter((score) => !Number.isNaN(score));
    return scored.reduce((sum, score) => sum + score, 0) / scored.length;
  });
  let [squares, freedom] = [0, 0];
  for (const row of rows) {
    const rest = [...row].flatMap((score, index) => (Number.isNaN(score) ? [] : [score - caseMeans[index]!]));
    if (rest.length < 2) continue;
    squares += variance(rest) * (rest.length - 1);
    freedom += rest.length - 1;
  }
  return freedom === 0 ? 0 : squares / freedom;
}

/** The sample variance; 0 for fewer than two values. */
function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
