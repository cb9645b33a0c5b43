import type { ResultsFilter } from '#lib/contracts/result';
import type { ErrorType, FormatCompliance } from '#lib/contracts/verdict';
import { flag, oneOf, searchOf, severalOf, text } from './search';

/** What a reader sees of each error type, in the order of a list of failures. */
export const ERROR_WORDS: Record<ErrorType, string> = {
  none: 'no error',
  errored: 'errored',
  oversized_reply: 'oversized reply',
  no_call: 'no call',
  unexpected_call: 'unexpected call',
  malformed_arguments: 'malformed arguments',
  unknown_tool: 'unknown tool',
  round_limit: 'round limit',
  incomplete_chain: 'incomplete chain',
  wrong_tool: 'wrong tool',
  missing_argument: 'missing argument',
  wrong_argument: 'wrong argument',
  extra_call: 'extra call',
  long_way: 'long way',
};
export const FORMAT_WORDS: Record<FormatCompliance, string> = {
  native: 'native',
  repaired: 'repaired',
  malformed: 'malformed',
  none: 'no call',
};
export const ORDER_WORDS = { failures: 'failures first', case: 'by case', settled: 'as settled' } as const;
type Order = keyof typeof ORDER_WORDS;

const wordsOf = <Word extends string>(words: Record<Word, string>) => oneOf(Object.keys(words) as Word[]);

const search = searchOf({
  model: severalOf(text(300)),
  type: severalOf(wordsOf(ERROR_WORDS)),
  category: severalOf(text(200)),
  tool: severalOf(text(1000)),
  called: severalOf(text(1000)),
  format: severalOf(wordsOf(FORMAT_WORDS)),
  tag: severalOf(text(100)),
  passed: flag,
  latency: text(20, /^\d{0,9}-\d{0,9}$/),
  order: wordsOf(ORDER_WORDS),
});

/** The filter and order of a list of results, as its address has them. What is not in the address is not there. */
export type ResultsSearch = {
  model?: string[];
  type?: ErrorType[];
  category?: string[];
  /** Expected tools. */
  tool?: string[];
  /** Called tools. */
  called?: string[];
  format?: FormatCompliance[];
  tag?: string[];
  passed?: boolean;
  /** `500-1000`, in milliseconds; either side may be left out. */
  latency?: string;
  order?: Order;
};

/** Reads an address. What has a fault in it is left out, and so is the default order. */
export function resultsSearch(given: Record<string, unknown>): ResultsSearch {
  const { order, latency, ...read } = search(given);
  const all = {
    ...read,
    latency: latency === '-' ? undefined : latency,
    order: order === 'failures' ? undefined : order,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ResultsSearch;
}

/** The query by which the API lists them. */
export function resultsQuery({ latency, order = 'failures', ...search }: ResultsSearch): URLSearchParams {
  const [min, max] = latency?.split('-') ?? [];
  const filter: Record<keyof Partial<ResultsFilter>, unknown> | Record<string, unknown> = {
    model: search.model,
    error_type: search.type,
    category: search.category,
    expected_tool: search.tool,
    called_tool: search.called,
    format: search.format,
    tag: search.tag,
    passed: search.passed,
    latency_min_ms: min || undefined,
    latency_max_ms: max || undefined,
    order,
  };
  const query = new URLSearchParams();
  for (const [key, given] of Object.entries(filter))
    if (given !== undefined) for (const value of [given].flat()) query.append(key, String(value));
  return query;
}

const LIST_WORDS = {
  model: 'model',
  type: 'error',
  category: 'category',
  tool: 'expected tool',
  called: 'called tool',
  format: 'format',
  tag: 'tag',
} as const;
type ListKey = keyof typeof LIST_WORDS;

/** A part of a filter in words, and the search without it. */
export interface FilterPart {
  words: string;
  without: ResultsSearch;
}

const wordOf = (key: ListKey, value: string): string =>
  key === 'type' ? ERROR_WORDS[value as ErrorType] : key === 'format' ? FORMAT_WORDS[value as FormatCompliance] : value;

export function filterParts(search: ResultsSearch): FilterPart[] {
  const parts: FilterPart[] = [];
  for (const key of Object.keys(LIST_WORDS) as ListKey[])
    for (const value of search[key] ?? [])
      parts.push({ words: `${LIST_WORDS[key]}: ${wordOf(key, value)}`, without: toggled(search, key, value) });
  if (search.passed !== undefined)
    parts.push({ words: search.passed ? 'passed' : 'not passed', without: changed(search, { passed: undefined }) });
  if (search.latency !== undefined)
    parts.push({ words: `latency: ${latencyWords(search.latency)}`, without: changed(search, { latency: undefined }) });
  return parts;
}

function latencyWords(latency: string): string {
  const [min, max] = latency.split('-');
  if (min && max) return `${min} to ${max} ms`;
  return min ? `at least ${min} ms` : `at most ${max} ms`;
}

/** The search with a value that is added, or removed when it is there. */
export function toggled(search: ResultsSearch, key: ListKey, value: string): ResultsSearch {
  const values: string[] = search[key] ?? [];
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return changed(search, { [key]: left.length ? left : undefined });
}

export const changed = (search: ResultsSearch, change: Record<string, unknown>): ResultsSearch =>
  resultsSearch({ ...search, ...change });
