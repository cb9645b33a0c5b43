import type { Run } from '#lib/contracts/run';

/**
 * The run to compare with: the baseline of the experiment, or else the suite's previous run.
 * @param others runs of the suite, newest first
 * @param baseline the id of the baseline; undefined for none
 */
export function comparedWith(
  run: Pick<Run, 'id' | 'created_at'>,
  others: readonly Pick<Run, 'id' | 'created_at'>[],
  baseline?: string,
): string | undefined {
  if (baseline !== undefined && baseline !== run.id) return baseline;
  const before = others.find(({ created_at: at }) => at < run.created_at);
  return (before ?? others.at(-1))?.id;
}
