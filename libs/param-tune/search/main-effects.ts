/** The ridge penalty, which shrinks effects towards 0. */
const LAMBDA = 1;

/**
 * Predicts the scores of arms from the measured ones: the mean plus an effect of each level of each parameter (ridge
 * regression, one column per level). Interactions of parameters are left out. It is solved in its dual form, with a row
 * per measured arm, because there may be far more levels than measured arms.
 * @param arms the levels of each arm
 * @param measured arms with their means
 * @returns the expected score of each arm
 */
export function predictByMainEffects(
  arms: readonly (readonly number[])[],
  measured: readonly { arm: number; mean: number }[],
): Float64Array {
  const mean = measured.reduce((sum, one) => sum + one.mean, 0) / (measured.length || 1);
  const kernel = measured.map(({ arm: a }, i) =>
    Float64Array.from(measured, ({ arm: b }, j) => sharedLevels(arms[a]!, arms[b]!) + (i === j ? LAMBDA : 0)),
  );
  const weights = solve(
    kernel,
    measured.map((one) => one.mean - mean),
  );
  const effects = new Map<string, number>();
  const keyOf = (level: number, p: number): string => `${p} ${level}`;
  measured.forEach(({ arm }, i) => {
    for (const key of arms[arm]!.map(keyOf)) effects.set(key, (effects.get(key) ?? 0) + weights[i]!);
  });
  return Float64Array.from(arms, (levels) =>
    levels.reduce((sum, level, p) => sum + (effects.get(keyOf(level, p)) ?? 0), mean),
  );
}

const sharedLevels = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((count, level, p) => count + (level === b[p] ? 1 : 0), 0);

/** Solves a symmetric positive definite system by Cholesky decomposition, in place in `matrix`. */
function solve(matrix: Float64Array[], right: readonly number[]): Float64Array {
  const n = right.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i]![k]! * matrix[j]![k]!;
      matrix[i]![j] = i === j ? Math.sqrt(sum) : sum / matrix[j]![j]!;
    }
  }
  const solution = Float64Array.from(right);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) solution[i]! -= matrix[i]![k]! * solution[k]!;
    solution[i]! /= matrix[i]![i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) solution[i]! -= matrix[k]![i]! * solution[k]!;
    solution[i]! /= matrix[i]![i]!;
  }
  return solution;
}
