import { splitCases, type SplitCase } from '#lib/tuning/split-cases';

/** From so many cases on, those that the meta model sees do not choose. */
export const ENOUGH_TO_DIVIDE = 60;
const REFLECT_SHARE = 4 / 7;

/** Positions of cases by what they are for, each part in a drawn order with the categories in their proportions. */
export interface Roles {
  /** The meta model may see these. */
  reflect: number[];
  /** Only the scores of these are used, to choose. The same as `reflect` in a small suite. */
  select: number[];
  /** Nothing is chosen by these. */
  heldOut: number[];
}

/** @param holdout the share of the cases to hold out, 0..1 */
export function splitRoles(cases: readonly SplitCase[], holdout: number, seed: number): Roles {
  const { tuning, heldOut } = splitCases(cases, holdout, seed);
  if (cases.length < ENOUGH_TO_DIVIDE) return { reflect: tuning, select: tuning, heldOut };
  const reflect = Math.round(tuning.length * REFLECT_SHARE);
  return { reflect: tuning.slice(0, reflect), select: tuning.slice(reflect), heldOut };
}
