import type { Run } from '#lib/contracts/run';
import { SYNTAX_NAMES } from '#lib/contracts/values/verdicts';
import { ERROR_WORDS, FORMAT_WORDS } from '../../address';
import type { Counted } from './facet-counts';

const sumOf = (parts: readonly Record<string, number>[]): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const part of parts)
    for (const [value, count] of Object.entries(part)) sums.set(value, (sums.get(value) ?? 0) + count);
  return sums;
};

const byCount = (one: Counted, other: Counted): number =>
  (other.count ?? 0) - (one.count ?? 0) || one.label.localeCompare(other.label);

const inWords = (sums: ReadonlyMap<string, number>, words: Record<string, string>): Counted[] =>
  Object.keys(words)
    .filter((value) => sums.get(value))
    .map((value) => ({ value, label: words[value]!, count: sums.get(value)! }));

/** The filter values of a run in progress, with counts from its finished models. */
export function countsSoFar({ targets, summaries }: Pick<Run, 'targets' | 'summaries'>): {
  model: Counted[];
  type: Counted[];
  category: Counted[];
  format: Counted[];
  syntax: Counted[];
} {
  const categories = sumOf(
    summaries.map(({ by_category: groups }) =>
      Object.fromEntries(Object.entries(groups).map(([name, { scored, errored }]) => [name, scored + errored])),
    ),
  );
  return {
    model: targets.map(({ target, settled }) => ({ value: target, label: target, count: settled })),
    type: inWords(sumOf(summaries.map(({ error_counts: counts }) => counts)), ERROR_WORDS).sort(byCount),
    category: [...categories].map(([value, count]) => ({ value, label: value, count })).sort(byCount),
    format: inWords(sumOf(summaries.map(({ format_counts: counts }) => counts)), FORMAT_WORDS),
    syntax: inWords(sumOf(summaries.map(({ syntax_counts: counts }) => counts ?? {})), SYNTAX_NAMES).sort(byCount),
  };
}
