import type { Run } from '#lib/contracts/run';
import type { RunCase, RunCases, RunFacets } from '#lib/contracts/run-facets';
import { count } from '../../../../ui/amounts';
import type { CellCounts } from '../../../../ui/figures/cells';
import { naturalOrder } from '../../../../ui/natural-order';
import type { ByTarget } from '../../../results/parts/verdict-counts';

/** How each model did on all cases, or on those of a category, whatever cases are shown. */
export interface SumRow {
  words: string;
  /** Undefined for all cases; null for those without a category. */
  category: string | null | undefined;
  /** Undefined where they are not counted. */
  byTarget: ByTarget | undefined;
}

export type MapRow = SumRow | RunCase;
export const isCase = (row: MapRow): row is RunCase => 'case_id' in row;

export const caseNameOf = ({ case_name: name, prompt }: RunCase): string => name ?? prompt;

/** The models in the order of their ranks; of a rescore, in that of their shares of passed results. */
export function modelsInOrder({ summaries, targets }: Run, { totals }: RunFacets, isRescored: boolean): number[] {
  const means = new Map(summaries.map(({ target, overall }) => [target, overall]));
  const passedOf = (at: number): number => {
    const [passed = 0, failed = 0] = totals[at] ?? [];
    return passed + failed === 0 ? -1 : passed / (passed + failed);
  };
  const valueOf = (at: number): number =>
    isRescored ? passedOf(at) : (means.get(targets[at]!.target) ?? passedOf(at));
  return targets.map((_, at) => at).sort((one, other) => valueOf(other) - valueOf(one) || one - other);
}

const MOST_SUMS = 8;

export interface Sums {
  /** All cases, and the categories with the most results. */
  rows: SumRow[];
  byCategory: ReadonlyMap<string | null, SumRow>;
  /** How many categories there are, and how many of them have a row. */
  categories: number;
  shown: number;
}

/** With so many cases, categories are what one sees first. */
const MANY_CASES = 100;

/** Rows that sum up a run. One category alone is the same as all cases. */
export function sumsOf({ category, totals }: RunFacets, cases: number): Sums {
  const named = category.values.map(({ value, by_target: byTarget }): SumRow => ({
    words: value === '' ? 'category ""' : value,
    category: value,
    byTarget,
  }));
  const rest = totals.map((counts, at) =>
    counts.map((n, part) => n - category.values.reduce((sum, { by_target: by }) => sum + by[at]![part]!, 0)),
  ) as unknown as ByTarget;
  const hasRest = category.others === 0 && rest.some((counts) => counts.some((n) => n > 0));
  const none: SumRow = { words: 'no category', category: null, byTarget: category.others === 0 ? rest : undefined };
  const shown = named.slice(0, MOST_SUMS).sort((one, other) => naturalOrder(one.words, other.words));
  const groups = [...shown, ...(hasRest ? [none] : [])];
  const isShown = groups.length > 1 && cases > MANY_CASES;
  return {
    rows: [{ words: 'all cases', category: undefined, byTarget: totals }, ...(isShown ? groups : [])],
    byCategory: new Map([...named, none].map((row) => [row.category!, row])),
    categories: named.length + category.others,
    shown: isShown ? shown.length : 0,
  };
}

export interface Layout {
  count: number;
  /** A sum, or the place of a case among those that are listed. */
  at: (index: number) => SumRow | number;
}

/** The sums come first; in the order of categories, each comes before its cases. */
export function layoutOf(sums: Sums, { categories, total }: Pick<RunCases, 'categories' | 'total'>): Layout {
  if (categories.length === 0)
    return { count: sums.rows.length + total, at: (index) => sums.rows[index] ?? index - sums.rows.length };
  const [all] = sums.rows;
  const heads: { index: number; row: SumRow; before: number }[] = [];
  let [index, before] = [all ? 1 : 0, 0];
  for (const { category, cases } of categories) {
    const known = sums.byCategory.get(category);
    heads.push({ index, before, row: known ?? { words: category ?? 'no category', category, byTarget: undefined } });
    index += cases + 1;
    before += cases;
  }
  return {
    count: index,
    at: (at) => {
      if (at === 0 && all) return all;
      const head = heads.findLast((one) => one.index <= at)!;
      return head.index === at ? head.row : head.before + at - head.index - 1;
    },
  };
}

const UNKNOWN: CellCounts = { passed: 0, scored: 0, errored: 0 };

/** The cells of a row, in the order of the models. What errored in part is said of a case only. */
export function cellsOf(row: MapRow, order: readonly number[]): CellCounts[] {
  const byTarget = isCase(row) ? row.by_target : row.byTarget;
  return order.map((at) => {
    const counts = byTarget?.[at];
    if (!counts) return UNKNOWN;
    const [passed, failed, errored] = counts;
    return { passed, scored: passed + failed, errored: isCase(row) || passed + failed === 0 ? errored : 0 };
  });
}

const [MOST, WORTH_A_HEAD] = [0.8, 8];

/** What most of the names begin with, up to a separator, if it is worth leaving out of each. */
export function prefixOfMost(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names)
    for (const { index } of name.slice(0, 200).matchAll(/[/:@-]/g)) {
      const prefix = name.slice(0, index + 1);
      if (index + 1 < name.length) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  const shared = [...counts].filter(
    ([prefix, n]) => n >= MOST * names.length && n > 1 && prefix.length >= WORTH_A_HEAD,
  );
  return shared.reduce((longest, [prefix]) => (prefix.length > longest.length ? prefix : longest), '');
}

/** What the picture shows, in a sentence. */
export function casesInWords({ all, differing, all_failed: failed }: RunCases['counts'], totals: ByTarget): string {
  const models = totals.length;
  const scored = totals.filter(([passed, notPassed]) => passed + notPassed > 0).length;
  const cases = all === 1 ? 'one case' : `${count(all)} cases`;
  if (models === 1) return `The model never passed ${count(failed)} of ${cases}.`;
  if (scored < 2)
    return scored === 0
      ? 'No result has a score: all of them errored.'
      : `All results of ${models === 2 ? 'the other model' : 'the other models'} errored, so nothing can be compared.`;
  const none = failed === 0 ? '' : ` No model passed ${count(failed)}.`;
  if (differing === 0)
    return `All models did equally well on ${all === 1 ? 'the only case' : `each of ${cases}`}.${none}`;
  return `Models differ on ${count(differing)} of ${cases}.${none}`;
}
