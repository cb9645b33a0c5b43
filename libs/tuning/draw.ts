import { seededRandom } from '#lib/scoring/statistics/seeded-random';

/** Draws `count` items without replacement, with equal probability. */
export const draw = <Item>(items: readonly Item[], count: number, seed: number): Item[] =>
  drawWith(seededRandom(seed), items, count);

/** Like `draw` (Fisher and Yates), from random numbers in [0, 1). */
export function drawWith<Item>(random: () => number, items: readonly Item[], count = items.length): Item[] {
  const left = [...items];
  for (let i = 0; i < Math.min(count, left.length - 1); i++) {
    const other = i + Math.floor(random() * (left.length - i));
    [left[i], left[other]] = [left[other]!, left[i]!];
  }
  return left.slice(0, count);
}

/** The base and other arms drawn by the seed: `count` arms, or all if there are fewer. */
export function drawArms(
  { arms, base, seed }: { arms: readonly unknown[]; base: number; seed: number },
  count: number,
): number[] {
  const others = arms.map((_, arm) => arm).filter((arm) => arm !== base);
  return [base, ...draw(others, count - 1, seed)];
}
