import type { ResultOrder, ResultsFilter } from '#lib/contracts/result';
import { ERROR_TYPES, SYNTAX_NAMES, syntaxName } from '#lib/contracts/values/verdicts';
import type { ErrorType, FormatCompliance } from '#lib/contracts/verdict';
import { flag, id, searchOf, severalOf, text, keyOf } from '../../address';

/** The label of each error type, in the order of a failure list. */
export const ERROR_WORDS = Object.fromEntries(
  ERROR_TYPES.map((type) => [type, type === 'none' ? 'no error' : type.replaceAll('_', ' ')]),
) as Record<ErrorType, string>;
export const FORMAT_WORDS: Record<FormatCompliance, string> = {
  native: 'native',
  repaired: 'repaired',
  malformed: 'malformed',
  none: 'no call',
};
/** The label of a value, or the value itself if a later release wrote it. */
const wordIn = (words: Record<string, string>, value: string): string =>
  Object.hasOwn(words, value) ? words[value]! : value.replaceAll('_', ' ');
export const errorWord = (type: string): string => wordIn(ERROR_WORDS, type);
const formatWord = (format: string): string => wordIn(FORMAT_WORDS, format);
export const ORDER_WORDS: Record<ResultOrder, string> = {
  failures: 'failures first',
  case: 'by case',
  settled: 'by completion',
};

/** `500-1000`, `0.5-`, `5e-324-0.1`. */
const RANGE = /^(\d+(?:\.\d+)?(?:e-\d+)?)?-(\d+(?:\.\d+)?(?:e-\d+)?)?$/;

const search = searchOf({
  model: severalOf(text(300)),
  type: severalOf(keyOf(ERROR_WORDS)),
  category: severalOf(text(200)),
  /** Expected tools. */
  tool: severalOf(text(1000)),
  /** Called tools. */
  called: severalOf(text(1000)),
  format: severalOf(keyOf(FORMAT_WORDS)),
  /** Call syntax that a host left in the text. */
  syntax: severalOf(keyOf(SYNTAX_NAMES)),
  tag: severalOf(text(100)),
  passed: flag,
  /** Whether the team noted something on it. */
  noted: flag,
  /** `500-1000`, in milliseconds; either side may be omitted. */
  latency: text(20, /^\d{0,9}-\d{0,9}$/),
  /** `0.5-1`, as shares; either side may be omitted. */
  score: text(60, RANGE),
  /** All models and samples of one case. */
  case: id,
  /** Use the verdicts of this rescore instead of the run's own. */
  rescore: id,
  order: keyOf(ORDER_WORDS),
});

/** The filter and order of a result list, as in its address. Absent keys are undefined. */
export type ResultsSearch = ReturnType<typeof search>;

/** Reads an address. Invalid values are dropped, and so is the default order. */
export function resultsSearch(given: Record<string, unknown>): ResultsSearch {
  const { order, latency, score, ...read } = search(given);
  const all = {
    ...read,
    latency: latency === '-' ? undefined : latency,
    score: score === '-' ? undefined : score,
    order: order === 'failures' ? undefined : order,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ResultsSearch;
}

/** The filter and order as the API's query. */
export function resultsFilter({ order = 'failures', ...search }: ResultsSearch) {
  const [min, max] = boundsOf(search.latency);
  const [lowest, highest] = boundsOf(search.score);
  return {
    model: search.model,
    error_type: search.type,
    category: search.category,
    expected_tool: search.tool,
    called_tool: search.called,
    format: search.format,
    syntax: search.syntax,
    tag: search.tag,
    passed: search.passed,
    noted: search.noted,
    latency_min_ms: min,
    latency_max_ms: max,
    overall_min: lowest,
    overall_max: highest,
    case_id: search.case,
    rescore_id: search.rescore,
    // Failures-first order uses an index of the run's own verdicts.
    order: search.rescore !== undefined && order === 'failures' ? 'case' : order,
  } satisfies Partial<Record<keyof ResultsFilter, unknown>>;
}

/** Both sides of a range such as `500-1000`; undefined where it is open. */
export function boundsOf(range: string | undefined): [min: string | undefined, max: string | undefined] {
  const [, min, max] = RANGE.exec(range ?? '') ?? [];
  return [min, max];
}

const LIST_WORDS = {
  model: 'model',
  type: 'error',
  category: 'category',
  tool: 'expected tool',
  called: 'called tool',
  format: 'format',
  syntax: 'calls in the text',
  tag: 'tag',
} as const;
export type ListKey = keyof typeof LIST_WORDS;

/** One condition of a filter in words, and the search without it. */
export interface FilterPart {
  words: string;
  without: ResultsSearch;
}

const WORD_OF: Partial<Record<ListKey, (value: string) => string>> = {
  type: errorWord,
  format: formatWord,
  syntax: syntaxName,
};
/** The label of a value to filter by. */
export const wordOf = (key: ListKey, value: string): string => WORD_OF[key]?.(value) ?? value;

export function filterParts(search: ResultsSearch): FilterPart[] {
  const parts: FilterPart[] = [];
  for (const key of Object.keys(LIST_WORDS) as ListKey[])
    for (const value of search[key] ?? [])
      parts.push({ words: `${LIST_WORDS[key]}: ${wordOf(key, value)}`, without: withToggled(search, key, value) });
  if (search.passed !== undefined)
    parts.push({ words: search.passed ? 'passed' : 'not passed', without: withChange(search, { passed: undefined }) });
  if (search.noted !== undefined)
    parts.push({
      words: search.noted ? 'with a note' : 'without a note',
      without: withChange(search, { noted: undefined }),
    });
  const single = (key: 'latency' | 'score' | 'case' | 'rescore', words: (value: string) => string): void => {
    const value = search[key];
    if (value !== undefined) parts.push({ words: words(value), without: withChange(search, { [key]: undefined }) });
  };
  single('latency', (latency) => `latency: ${rangeWords(latency, (ms) => ms, ' ms')}`);
  single('score', (score) => `score: ${rangeWords(score, (share) => inPercent(Number(share)), ' %')}`);
  single('case', () => 'one case');
  single('rescore', () => 'verdicts of a rescore');
  return parts;
}

const MAX_IN_NAME = 120;

/** The filter as part of a file name: "-error-wrong-tool-model-sim-odd". */
export const inFileName = (search: ResultsSearch): string =>
  filterParts(search)
    .map(({ words }) => `-${(words.match(/[\w.]+/g) ?? []).join('-')}`)
    .join('')
    .slice(0, MAX_IN_NAME);

/** "10", "33.3", "above 0", "below 100": a score bound without its unit. */
export function inPercent(share: number): string {
  const rounded = (share * 100).toFixed(1).replace('.0', '');
  if (share > 0 && rounded === '0') return 'above 0';
  return share < 1 && rounded === '100' ? 'below 100' : rounded;
}

function rangeWords(range: string, word: (bound: string) => string, unit: string): string {
  const [min, max] = boundsOf(range);
  if (min && max) return min === max ? `${word(min)}${unit}` : `${word(min)} to ${word(max)}${unit}`;
  return min ? `at least ${word(min)}${unit}` : `at most ${word(max!)}${unit}`;
}

/** The search with a value added, or removed if present. */
export function withToggled(search: ResultsSearch, key: ListKey, value: string): ResultsSearch {
  const values: string[] = search[key] ?? [];
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return withChange(search, { [key]: left.length ? left : undefined });
}

export const withChange = (search: ResultsSearch, change: Record<string, unknown>): ResultsSearch =>
  resultsSearch({ ...search, ...change });
