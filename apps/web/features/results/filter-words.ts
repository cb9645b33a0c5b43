import type { ResultOrder } from '#lib/contracts/result';
import type { MissedFigure } from '#lib/contracts/values/conversations';
import { ERROR_TYPES, syntaxName } from '#lib/contracts/values/verdicts';
import type { ErrorType, FormatCompliance } from '#lib/contracts/verdict';
import { boundsOf, withChange, withToggled, type ListKey, type ResultsSearch } from './address';

// What the filter of a result list says. The first view does without.

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
const MISSED_WORDS: Record<MissedFigure, string> = {
  'conversation.calls': 'calls',
  'conversation.forbidden': 'forbidden call',
  'conversation.state': 'state',
  'conversation.answer': 'answer',
  'conversation.recovered': 'no recovery',
  'conversation.fabricated': 'fabricated answer',
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

const LIST_WORDS: Record<ListKey, string> = {
  model: 'model',
  type: 'error',
  category: 'category',
  tool: 'expected tool',
  called: 'called tool',
  format: 'format',
  syntax: 'calls in the text',
  missed: 'went wrong',
  tag: 'tag',
};

/** One condition of a filter in words, and the search without it. */
export interface FilterPart {
  words: string;
  without: ResultsSearch;
}

const WORD_OF: Partial<Record<ListKey, (value: string) => string>> = {
  type: errorWord,
  format: formatWord,
  syntax: syntaxName,
  missed: (figure) => wordIn(MISSED_WORDS, figure),
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
