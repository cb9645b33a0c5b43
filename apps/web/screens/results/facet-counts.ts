import type { FacetBin, RunFacets } from '#lib/contracts/run-facets';
import { syntaxName } from '#lib/contracts/syntax-names';
import { errorWord, formatWord, type ListKey, type ResultsSearch } from '../../address/results';
import { latencyRange, latencyWords, scoreRange, scoreWords } from '../../parts/bin-words';
import { toolWords } from '../../parts/tool-words';
import { countOf, verdictCounts, type ByTarget } from '../../parts/verdict-counts';

export type Counted = { value: string; label: string; count?: number };

/** What a filter has, and of what its counts are. */
export interface CountedFacet {
  options: Counted[];
  /** Under the other filters, where these are known, or of the whole run. */
  isFiltered: boolean;
  /** Further values, which are only counted. */
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
  tag: 'tag',
} as const satisfies Record<ValueKey, keyof RunFacets>;
const BINS: Record<BinKey, { from: 'latency_ms' | 'overall'; range: (bin: FacetBin) => string }> = {
  latency: { from: 'latency_ms', range: latencyRange },
  score: { from: 'overall', range: scoreRange },
};

/** Filters that counts by model and verdict answer for every facet. A rescore has counts of its own. */
const ALWAYS_KNOWN = new Set<string>(['model', 'passed', 'order', 'rescore']);
const othersThan = (search: ResultsSearch, key: string): string[] =>
  Object.keys(search).filter((other) => other !== key && !ALWAYS_KNOWN.has(other));

/** Counts by model under what is chosen of one facet; undefined where they are not known. */
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
  // A result may have several tags, and a case may expect one of several tools.
  if ((key === 'tag' || key === 'tool') && values.length > 1) return undefined;
  const found = values.map((value) => facets[SOURCES[key as ValueKey]].values.find((one) => one.value === value));
  if (found.includes(undefined)) return undefined;
  return facets.targets.map((_, ordinal) => {
    const { passed, failed, errored } = verdictCounts(found.map((one) => one!.by_target[ordinal]!));
    return [passed, failed, errored];
  });
}

const isChosenModel = (facets: RunFacets, search: ResultsSearch) => (ordinal: number) =>
  search.model === undefined || search.model.includes(facets.targets[ordinal]!);

/** How many results a filter leaves; undefined where the counts do not tell. */
export function filteredTotal(facets: RunFacets, search: ResultsSearch): number | undefined {
  const byTarget = chosenByTarget(facets, search);
  return byTarget && countOf(verdictCounts(byTarget, isChosenModel(facets, search)), search.passed);
}

function counter(facets: RunFacets, search: ResultsSearch, isFiltered: boolean): (byTarget: ByTarget) => number {
  if (!isFiltered) return (byTarget) => countOf(verdictCounts(byTarget));
  return (byTarget) => countOf(verdictCounts(byTarget, isChosenModel(facets, search)), search.passed);
}

const labelOf = (key: ValueKey, value: string): string => {
  if (key === 'type') return errorWord(value);
  if (key === 'format') return formatWord(value);
  if (key === 'syntax') return syntaxName(value);
  return key === 'tool' || key === 'called' ? toolWords(value) : value;
};

/** The values of a facet, with counts. */
export function valuesOf(facets: RunFacets, search: ResultsSearch, key: ValueKey): CountedFacet {
  const isFiltered = othersThan(search, key).length === 0;
  const count = counter(facets, search, isFiltered);
  const { values, others } = facets[SOURCES[key]];
  const options = values.map(({ value, by_target: by }) => ({ value, label: labelOf(key, value), count: count(by) }));
  return { options: options.toSorted((one, other) => other.count - one.count), isFiltered, others };
}

/** The models, with counts: known under any one other facet. */
export function modelsOf(facets: RunFacets, search: ResultsSearch): CountedFacet {
  const chosen = chosenByTarget(facets, search);
  const byTarget = chosen ?? facets.totals;
  const options = facets.targets.map((target, ordinal) => ({
    value: target,
    label: target,
    count: countOf(verdictCounts([byTarget[ordinal]!]), chosen && search.passed),
  }));
  return { options, isFiltered: chosen !== undefined, others: 0 };
}

/** The bins of a facet, with counts; those before and after all results are left out. */
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
