import type { Run } from '#lib/contracts/run';
import type { FacetBin, RunFacets } from '#lib/contracts/run-facets';
import { SYNTAX_NAMES } from '#lib/contracts/values/verdicts';
import { naturalOrder } from '../../../ui/natural-order';
import { toolWords } from '../../runs/parts/tool-words';
import type { ListKey, ResultsSearch } from '../address';
import { ERROR_WORDS, FORMAT_WORDS, wordOf } from '../filter-words';
import { latencyRange, latencyWords, scoreRange, scoreWords } from '../parts/bin-words';
import { countOf, verdictCounts, type ByTarget } from '../parts/verdict-counts';

export type Counted = { value: string; label: string; count?: number };

/** The values of a filter, and the scope of their counts. */
export interface CountedFacet {
  options: Counted[];
  /** Whether the counts respect the other filters, rather than cover the whole run. */
  isFiltered: boolean;
  /** Number of further values, which are not listed. */
  others: number;
}

type ValueKey = Exclude<ListKey, 'model'>;
type BinKey = 'latency' | 'score';

const SOURCES = {
  type: 'error_type',
  category: 'category',
  tool: 'expected_tool',
  called: 'called_tool',
  format: 'format',
  syntax: 'syntax',
  missed: 'missed',
  tag: 'tag',
} as const satisfies Record<ValueKey, keyof RunFacets>;
const BINS: Record<BinKey, { from: 'latency_ms' | 'overall'; range: (bin: FacetBin) => string }> = {
  latency: { from: 'latency_ms', range: latencyRange },
  score: { from: 'overall', range: scoreRange },
};

/**
 * Filters that the counts of every facet can apply, since they are by model and verdict. A rescore has separate counts.
 */
const ALWAYS_KNOWN = new Set<string>(['model', 'passed', 'order', 'rescore']);
const othersThan = (search: ResultsSearch, key: string): string[] =>
  Object.keys(search).filter((other) => other !== key && !ALWAYS_KNOWN.has(other));

/** Counts by model for the chosen values of one facet; undefined if unknown. */
function chosenByTarget(facets: RunFacets, search: ResultsSearch): ByTarget | undefined {
  const [key, ...more] = othersThan(search, '');
  if (key === undefined) return facets.totals;
  if (more.length > 0) return undefined;
  if (key === 'latency' || key === 'score') {
    const { from, range } = BINS[key];
    return facets[from].find((bin) => range(bin) === search[key])?.by_target;
  }
  if (!(key in SOURCES)) return undefined;
  const values = search[key as ValueKey]!;
  // A result may have several tags and fall short by several figures, and a case may expect one of several tools.
  if ((key === 'tag' || key === 'tool' || key === 'missed') && values.length > 1) return undefined;
  const found = values.map((value) => facets[SOURCES[key as ValueKey]].values.find((one) => one.value === value));
  if (found.includes(undefined)) return undefined;
  return facets.targets.map((_, ordinal) => {
    const { passed, failed, errored } = verdictCounts(found.map((one) => one!.by_target[ordinal]!));
    return [passed, failed, errored];
  });
}

const isChosenModel = (facets: RunFacets, search: ResultsSearch) => (ordinal: number) =>
  search.model === undefined || search.model.includes(facets.targets[ordinal]!);

/** The number of results after filtering; undefined if the counts cannot tell. */
export function filteredTotal(facets: RunFacets, search: ResultsSearch): number | undefined {
  const byTarget = chosenByTarget(facets, search);
  return byTarget && countOf(verdictCounts(byTarget, isChosenModel(facets, search)), search.passed);
}

function counter(facets: RunFacets, search: ResultsSearch, isFiltered: boolean): (byTarget: ByTarget) => number {
  if (!isFiltered) return (byTarget) => countOf(verdictCounts(byTarget));
  return (byTarget) => countOf(verdictCounts(byTarget, isChosenModel(facets, search)), search.passed);
}

const labelOf = (key: ValueKey, value: string): string =>
  key === 'tool' || key === 'called' ? toolWords(value) : wordOf(key, value);

/** The values of a facet, with counts. */
export function valuesOf(facets: RunFacets, search: ResultsSearch, key: ValueKey): CountedFacet {
  const isFiltered = othersThan(search, key).length === 0;
  const count = counter(facets, search, isFiltered);
  const { values, others } = facets[SOURCES[key]];
  const options = values.map(({ value, by_target: by }) => ({ value, label: labelOf(key, value), count: count(by) }));
  return { options: options.toSorted(byCount), isFiltered, others };
}

/** The models, with counts: known when at most one other facet is filtered. */
export function modelsOf(
  facets: RunFacets,
  search: ResultsSearch,
  labelOf: (target: string) => string = (target) => target,
): CountedFacet {
  const chosen = chosenByTarget(facets, search);
  const byTarget = chosen ?? facets.totals;
  const options = facets.targets.map((target, ordinal) => ({
    value: target,
    label: labelOf(target),
    count: countOf(verdictCounts([byTarget[ordinal]!]), chosen && search.passed),
  }));
  return { options, isFiltered: chosen !== undefined, others: 0 };
}

/** The bins of a facet, with counts; empty bins at both ends are left out. */
export function binsOf(facets: RunFacets, search: ResultsSearch, key: BinKey): CountedFacet {
  const isFiltered = othersThan(search, key).length === 0;
  const count = counter(facets, search, isFiltered);
  const { from, range } = BINS[key];
  const words = key === 'latency' ? latencyWords : scoreWords;
  const options = facets[from].map((bin) => ({ value: range(bin), label: words(bin), count: count(bin.by_target) }));
  const first = options.findIndex((option) => option.count > 0 || option.value === search[key]);
  const last = options.findLastIndex((option) => option.count > 0 || option.value === search[key]);
  return { options: first < 0 ? [] : options.slice(first, last + 1), isFiltered, others: 0 };
}

/** The filter values of a run in progress, with counts from its finished models. */
export function countsSoFar({ targets, summaries }: Pick<Run, 'targets' | 'summaries'>) {
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

const sumOf = (parts: readonly Record<string, number>[]): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const part of parts)
    for (const [value, count] of Object.entries(part)) sums.set(value, (sums.get(value) ?? 0) + count);
  return sums;
};

const byCount = (one: Counted, other: Counted): number =>
  (other.count ?? 0) - (one.count ?? 0) || naturalOrder(one.label, other.label);

const inWords = (sums: ReadonlyMap<string, number>, words: Record<string, string>): Counted[] =>
  Object.keys(words)
    .filter((value) => sums.get(value))
    .map((value) => ({ value, label: words[value]!, count: sums.get(value)! }));
