import type { ResultsFilter } from '#lib/contracts/result';
import { MISSED_FIGURES } from '#lib/contracts/values/conversations';
import { CALL_SYNTAXES, ERROR_TYPES, FORMATS } from '#lib/contracts/values/verdicts';
import { flag, id, oneOf, searchOf, severalOf, text } from '../../address';

/** `500-1000`, `0.5-`, `5e-324-0.1`. */
const RANGE = /^(\d+(?:\.\d+)?(?:e-\d+)?)?-(\d+(?:\.\d+)?(?:e-\d+)?)?$/;

const search = searchOf({
  model: severalOf(text(300)),
  type: severalOf(oneOf(ERROR_TYPES)),
  category: severalOf(text(200)),
  /** Expected tools. */
  tool: severalOf(text(1000)),
  /** Called tools. */
  called: severalOf(text(1000)),
  format: severalOf(oneOf(FORMATS)),
  /** Call syntax that a host left in the text. */
  syntax: severalOf(oneOf(CALL_SYNTAXES)),
  /** Figures by which a conversation fell short. */
  missed: severalOf(oneOf(MISSED_FIGURES)),
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
  order: oneOf(['failures', 'case', 'settled']),
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
    missed: search.missed,
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

/** The parts of a filter that may have several values. */
export type ListKey = 'model' | 'type' | 'category' | 'tool' | 'called' | 'format' | 'syntax' | 'missed' | 'tag';

/** The search with a value added, or removed if present. */
export function withToggled(search: ResultsSearch, key: ListKey, value: string): ResultsSearch {
  const values: string[] = search[key] ?? [];
  const left = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return withChange(search, { [key]: left.length ? left : undefined });
}

export const withChange = (search: ResultsSearch, change: Record<string, unknown>): ResultsSearch =>
  resultsSearch({ ...search, ...change });
