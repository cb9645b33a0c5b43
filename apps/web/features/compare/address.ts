import type { CaseOutcome } from '#lib/contracts/comparison';
import { flag, id, oneOf, searchOf, text } from '../../address';
import { against } from '../runs/address';
import { MAX_COMPARED_RUNS } from '#lib/contracts/values/comparison';

export const OUTCOME_WORDS = {
  broken: 'broken',
  fixed: 'fixed',
  worse: 'worse',
  better: 'better',
  same_wrong: 'wrong in both',
  same_mixed: 'mixed in both',
  same_right: 'right in both',
} as const satisfies Record<CaseOutcome, string>;
export type OutcomeWord = keyof typeof OUTCOME_WORDS;
const OUTCOMES = Object.keys(OUTCOME_WORDS) as OutcomeWord[];

/** Each run once, the baseline first. A hand-written address may join their ids with commas. */
function runsOf(given: unknown): string[] | undefined {
  const texts = [given].flat().flatMap((some) => (typeof some === 'string' ? some.split(',') : []));
  const ids = texts.map((one) => id(one.trim())?.toLowerCase()).filter((one) => one !== undefined);
  return ids.length > 0 ? [...new Set(ids)].slice(0, MAX_COMPARED_RUNS) : undefined;
}

/** A share from the address: as text, or as the number that the router parses it to. */
const margin = (given: unknown): string | undefined =>
  text(10, /^0?\.\d{1,4}$|^[01]$/)(typeof given === 'number' ? String(given) : given);

/** Compared runs, the baseline first, and the filter of their cases. */
export const compareSearch = searchOf({
  runs: runsOf,
  measure: text(200),
  margin,
  /** Two models compared regardless of their names: `<model of the baseline>~<model of the other run>`. */
  pair: text(610),
  /** Includes samples that were added to the runs. */
  extended: flag,
  /** Includes unfinished runs, by their settled results. */
  partial: flag,
  /** With several runs: the one whose figures are shown. */
  other: id,
  target: text(300),
  outcome: oneOf([...OUTCOMES, 'all'] as const),
  category: text(200),
  after: text(500),
  against,
});
export type CompareSearch = ReturnType<typeof compareSearch>;

/** The letter of a compared run: "A" is the baseline. */
export const sideOf = (index: number): string => 'ABCDEF'[index] ?? '';

/** The letter of a run that is compared with A. */
export const sideIn = ({ runs = [] }: Pick<CompareSearch, 'runs'>, id: string): string =>
  sideOf(Math.max(1, runs.indexOf(id)));

/** Which run is compared with which. With a pair of models, a run can be compared with itself. */
export function sidesOf({ runs = [], pair }: CompareSearch): { a: string; others: string[] } | undefined {
  const [a, ...others] = runs;
  if (a === undefined) return undefined;
  if (others.length > 0) return { a, others };
  return pair === undefined ? undefined : { a, others: [a] };
}

/** Parameters shared by the queries for a comparison and for its case list. */
export function settingsOf(search: CompareSearch): Record<string, string> {
  const { measure, margin: share, pair, extended, partial, runs = [] } = search;
  return {
    ...(measure !== undefined && { measure }),
    ...(share !== undefined && { margin: share }),
    ...(pair !== undefined && runs.length <= 2 && { pairs: pair }),
    ...(extended && { extended: 'true' }),
    ...(partial && { partial: 'true' }),
  };
}

/** The API query for a comparison; undefined while there is nothing to compare. */
export function comparisonQueryOf(search: CompareSearch): URLSearchParams | undefined {
  const sides = sidesOf(search);
  if (!sides) return undefined;
  const { a, others } = sides;
  const runs: Record<string, string> = others.length === 1 ? { a, b: others[0]! } : { runs: [a, ...others].join(',') };
  return new URLSearchParams({ ...runs, ...settingsOf(search) });
}

/** Changes what is compared. Filters of the last comparison do not apply to the next one. */
export const withComparison = (search: CompareSearch, change: Partial<CompareSearch>): CompareSearch =>
  compareSearch({
    ...search,
    ...{ target: undefined, outcome: undefined, category: undefined, after: undefined },
    ...change,
  });

/** Changes which cases are shown. */
export const withFilter = (search: CompareSearch, change: Partial<CompareSearch>): CompareSearch =>
  compareSearch({ ...search, after: undefined, ...change });
