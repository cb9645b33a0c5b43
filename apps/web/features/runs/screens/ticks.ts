import { MAX_COMPARED_RUNS } from '#lib/contracts/values/comparison';

/**
 * The ticked ids after a click.
 * @param ids of the rows; undefined where a row cannot be ticked
 * @param of.from the row that was clicked before, where the click takes all between
 */
export function afterTick(
  ticked: readonly string[],
  ids: readonly (string | undefined)[],
  { at, from = at }: { at: number; from?: number | undefined },
): string[] {
  const id = ids[at];
  if (id === undefined) return [...ticked];
  if (ticked.includes(id)) return ticked.filter((one) => one !== id);
  const [first, last] = [Math.min(at, from), Math.max(at, from)];
  const between = ids.slice(first, last + 1).filter((one) => one !== undefined);
  return [...new Set([...ticked, ...(from < at ? between : between.toReversed())])].slice(0, MAX_COMPARED_RUNS);
}
