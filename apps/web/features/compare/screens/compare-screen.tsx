import { useQueries, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import { Deltas } from '../../../ui/figures/delta';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import { runQuery } from '../../runs/api';
import { comparisonQueryOf, sideOf, withComparison, type CompareSearch } from '../address';
import { comparisonsQuery } from '../api';
import css from '../parts/compare.module.css';
import { ComparisonMark, SideMark } from '../parts/comparison-mark';
import { ChangedSettings } from './changed-settings';
import { ChosenRuns } from './chosen-runs';
import { ComparedPairs } from './compared-pairs';
import { ComparedSettings } from './compared-settings';
import { ComparisonAnswer, ComparisonFigures, GroupedFigures, rowOf } from './comparison-figures';

/** Whether a run is really better than another, on which cases, and how certain that is. */
export function CompareScreen() {
  const search = useSearch({ from: '/signed-in/compare' });
  const compared = comparisonQueryOf(search);
  const title = useTitle(search);
  return (
    <>
      <Head title={title} trail={TRAIL} />
      {!compared && <ChosenRuns search={search} />}
      {compared && (
        <>
          {/* Figures of other runs, or by another measure, are never shown meanwhile. */}
          <QueryBoundary key={`answer ${String(compared)}`} rows={5} label="Comparing">
            <Answer search={search} />
          </QueryBoundary>
          <ChosenRuns search={search} />
          <ComparedSettings search={search} />
          <QueryBoundary key={String(compared)} rows={12} label="Comparing">
            <Comparisons search={search} />
          </QueryBoundary>
        </>
      )}
    </>
  );
}

const TRAIL = [{ to: '/runs', label: 'Runs' }] as const;

/** "With help against As it is", once their names are known. */
function useTitle({ runs = [] }: CompareSearch): string {
  const read = useQueries({ queries: runs.map((id) => ({ ...runQuery(id), retry: false })) });
  const [a, b] = read.map(({ data }) => data && (data.name ?? data.suite.name));
  return runs.length === 2 && a !== undefined && b !== undefined ? `${b} against ${a}` : 'Compare runs';
}

const shownOf = (comparisons: readonly Comparison[], { other }: CompareSearch): Comparison =>
  comparisons.find(({ b }) => b.id === other) ?? comparisons[0]!;

/** What may be claimed: of each run, and of the one whose figures are shown. */
function Answer({ search }: { search: CompareSearch }) {
  const { data: comparisons } = useSuspenseQuery(comparisonsQuery(search));
  const isOne = comparisons.length === 1;
  return (
    <>
      {!isOne && <RunsAgainstBaseline comparisons={comparisons} search={search} />}
      <ComparisonAnswer comparison={shownOf(comparisons, search)} search={search} isOne={isOne} />
    </>
  );
}

/** Where to look: the models, the groups, the cases, and what was changed. */
function Comparisons({ search }: { search: CompareSearch }) {
  const { data: comparisons } = useSuspenseQuery(comparisonsQuery(search));
  const comparison = shownOf(comparisons, search);
  return (
    <>
      <ComparisonFigures comparison={comparison} search={search} />
      <ComparedPairs comparison={comparison} search={search} />
      <GroupedFigures comparison={comparison} search={search} />
      <ChangedSettings comparison={comparison} />
    </>
  );
}

/** Each run against the first, with links to its figures. */
function RunsAgainstBaseline({ comparisons, search }: { comparisons: readonly Comparison[]; search: CompareSearch }) {
  const shown = comparisons.some(({ b }) => b.id === search.other) ? search.other : comparisons[0]!.b.id;
  const sides = comparisons.map((comparison, index) => ({ ...comparison, side: sideOf(index + 1) }));
  return (
    <section aria-labelledby="several" className="section">
      <h2 id="several">Each run against A</h2>
      <Deltas
        label="How much each run differs from A, in points, with 95 % intervals"
        rows={sides.map(({ side, all, b }) => rowOf(b.id, <SideMark side={side} />, all))}
      />
      <ul className={`${css.rows} ${css.chosen}`}>
        {sides.map(({ side, all, b }) => (
          <li key={b.id}>
            <SideMark side={side} />
            <span>
              {all.verdict && <ComparisonMark verdict={all.verdict} small={all.small} />}{' '}
              <UserText text={all.text ?? ''} />
            </span>
            <Link
              to="/compare"
              search={withComparison(search, { other: b.id })}
              className="button dense"
              aria-current={b.id === shown ? 'true' : undefined}
            >
              {b.id === shown ? `${side} is shown` : `Show ${side}`}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
