import { seededRandom } from '#lib/scoring/statistics/seeded-random';

export interface SplitCase {
  position: number;
  category: string | null;
}

/** Positions of cases. Each part is ordered so that every prefix has the categories in proportion. */
export interface Split {
  tuning: number[];
  /** The cases that are not used to choose anything. */
  heldOut: number[];
}

/**
 * Splits cases by the seed. Both parts, and every prefix of them, have the suite's proportions of categories, as far as
 * whole cases allow.
 * @param holdout the share of the cases to hold out, 0..1
 */
export function splitCases(cases: readonly SplitCase[], holdout: number, seed: number): Split {
  const order = stratified(cases, seed);
  const held = heldOutOf(cases.length, holdout);
  return { heldOut: order.slice(0, held), tuning: order.slice(held) };
}

/** How many of `cases` are held out: 0.3 of 34 gives 10. */
export const heldOutOf = (cases: number, holdout: number): number => Math.floor(cases * holdout + 1e-9);

/** Systematic sampling: the shuffled cases of each category are spread evenly from a random offset. */
function stratified(cases: readonly SplitCase[], seed: number): number[] {
  const random = seededRandom(seed);
  const byCategory = Map.groupBy(cases, ({ category }) => category);
  const categories = [...byCategory].sort(([a], [b]) => Number(a !== null) - Number(b !== null) || (a! < b! ? -1 : 1));
  const placed = categories.flatMap(([, members]) => {
    const shuffled = members
      .toSorted((a, b) => a.position - b.position)
      .map(({ position }) => ({ position, draw: random() }))
      .sort((a, b) => a.draw - b.draw);
    const offset = random();
    return shuffled.map(({ position }, n) => ({ position, place: (n + offset) / members.length }));
  });
  return placed.sort((a, b) => a.place - b.place || a.position - b.position).map(({ position }) => position);
}
