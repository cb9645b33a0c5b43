import { seededRandom } from '#lib/scoring/statistics/seeded-random';

export interface SplitCase {
  position: number;
  category: string | null;
}

/** Positions of cases, each part in its order: every beginning of it has the categories in their proportions. */
export interface Split {
  tuning: number[];
  /** The cases that nothing is chosen by. */
  heldOut: number[];
}

/**
 * Divides cases by the seed. Both parts, and every beginning of them, have the categories in the proportions of the
 * suite, as far as whole cases allow.
 * @param holdout the share of the cases to hold out, 0..1
 */
export function splitCases(cases: readonly SplitCase[], holdout: number, seed: number): Split {
  const order = stratified(cases, seed);
  const held = heldOutOf(cases.length, holdout);
  return { heldOut: order.slice(0, held), tuning: order.slice(held) };
}

/** How many of `cases` are held out: 0.3 of 34 are 10. */
export const heldOutOf = (cases: number, holdout: number): number => Math.floor(cases * holdout + 1e-9);

/** Systematic sampling: the cases of a category, shuffled, are spread evenly from a place that is drawn. */
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
