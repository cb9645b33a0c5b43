import { flag, id, oneOf, searchOf, text } from './search';

export const OUTCOME_WORDS = {
  broken: 'broken',
  fixed: 'fixed',
  worse: 'worse',
  better: 'better',
  same_wrong: 'wrong in both',
  same_mixed: 'mixed in both',
  same_right: 'right in both',
} as const;
export type OutcomeWord = keyof typeof OUTCOME_WORDS;
const OUTCOMES = Object.keys(OUTCOME_WORDS) as OutcomeWord[];

/** As many as one comparison takes. */
export const MAX_COMPARED = 6;

/** Each run once, the baseline first. Written by hand, their ids may stand beside each other with commas. */
function runsOf(given: unknown): string[] | undefined {
  const texts = [given].flat().flatMap((some) => (typeof some === 'string' ? some.split(',') : []));
  const ids = texts.map((one) => id(one.trim())?.toLowerCase()).filter((one) => one !== undefined);
  return ids.length > 0 ? [...new Set(ids)].slice(0, MAX_COMPARED) : undefined;
}

/** A share, as the address has it: as text, or as the number that a reader of addresses takes it for. */
const margin = (given: unknown): string | undefined =>
  text(10, /^0?\.\d{1,4}$|^[01]$/)(typeof given === 'number' ? String(given) : given);

/** Compared runs, the baseline first; and which of their cases are shown side by side. */
export const compareSearch = searchOf({
  runs: runsOf,
  measure: text(200),
  margin,
  /** Two models that are compared whatever their names: `<model of the baseline>~<model of the other run>`. */
  pair: text(610),
  /** With the samples that were added to the runs. */
  extended: flag,
  /** Also runs that still go on, by what is settled. */
  partial: flag,
  /** Of several runs: the one whose figures are shown. */
  other: id,
  target: text(300),
  outcome: oneOf([...OUTCOMES, 'all'] as const),
  category: text(200),
  after: text(500),
});
export type CompareSearch = ReturnType<typeof compareSearch>;

/** How a run is called among those that are compared: "A" is the baseline. */
export const sideOf = (index: number): string => 'ABCDEF'[index] ?? '';

/** Which run is compared with which. With a pair of models, one run can be compared with itself. */
export function sidesOf({ runs = [], pair }: CompareSearch): { a: string; others: string[] } | undefined {
  const [a, ...others] = runs;
  if (a === undefined) return undefined;
  if (others.length > 0) return { a, others };
  return pair === undefined ? undefined : { a, others: [a] };
}

/** What a comparison and the list of its cases are both asked for with. */
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

/** The query by which the API compares; undefined while there is nothing to compare. */
export function comparisonQueryOf(search: CompareSearch): URLSearchParams | undefined {
  const sides = sidesOf(search);
  if (!sides) return undefined;
  const { a, others } = sides;
  const runs: Record<string, string> = others.length === 1 ? { a, b: others[0]! } : { runs: [a, ...others].join(',') };
  return new URLSearchParams({ ...runs, ...settingsOf(search) });
}

/** Changes of what is compared: what was looked at in the last comparison says nothing of the next one. */
export const compared = (search: CompareSearch, change: Partial<CompareSearch>): CompareSearch =>
  compareSearch({
    ...search,
    ...{ target: undefined, outcome: undefined, category: undefined, after: undefined },
    ...change,
  });

/** Changes of which cases are shown. */
export const filtered = (search: CompareSearch, change: Partial<CompareSearch>): CompareSearch =>
  compareSearch({ ...search, after: undefined, ...change });
