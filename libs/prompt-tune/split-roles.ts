import { splitCases, type SplitCase } from '#lib/tuning/split-cases';

/** From this number of cases, the cases shown to the meta model are not used for selection. */
const ENOUGH_TO_DIVIDE = 60;
const REFLECT_SHARE = 4 / 7;

/** Positions of cases by role. Each part is in random order, with the categories in proportion. */
export interface Roles {
  /** Cases that the meta model may see. */
  reflect: number[];
  /** Cases of which only the scores are used, to choose. The same as `reflect` in a small suite. */
  select: number[];
  /** Cases that are not used to choose anything. */
  heldOut: number[];
}

/** @param holdout the share of the cases to hold out, 0..1 */
export function splitRoles(cases: readonly SplitCase[], holdout: number, seed: number): Roles {
  const { tuning, heldOut } = splitCases(cases, holdout, seed);
  if (cases.length < ENOUGH_TO_DIVIDE) return { reflect: tuning, select: tuning, heldOut };
  const reflect = Math.round(tuning.length * REFLECT_SHARE);
  return { reflect: tuning.slice(0, reflect), select: tuning.slice(reflect), heldOut };
}
