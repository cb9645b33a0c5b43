const LEVEL = 0.05;

/** How many p values of a family stay below 0.05 after the correction of Holm. Unknown ones are not in it. */
export function beyondChance(values: readonly (number | null)[]): number {
  const known = values.filter((p) => p !== null).toSorted((one, other) => one - other);
  const first = known.findIndex((p, index) => p * (known.length - index) >= LEVEL);
  return first < 0 ? known.length : first;
}
