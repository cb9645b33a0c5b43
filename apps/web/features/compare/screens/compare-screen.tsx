import { useQueries, useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { runQuery } from '../../runs/api';
import { comparisonQueryOf, type CompareSearch } from '../address';
import { comparisonsQuery } from '../api';
import css from '../parts/compare.module.css';
import { ChangedSettings } from './changed-settings';
import { ChosenRuns } from './chosen-runs';
import { ComparedCosts } from './compared-costs';
import { ComparedPairs } from './compared-pairs';
import { ComparisonAnswer } from './comparison-answer';
import { ComparisonFigures } from './comparison-figures';
import { GroupedFigures } from './grouped-figures';
import { ModelStrips, RunsAgainstBaseline } from './several-runs';

/** Whether a run is really better than another, on which cases, and how certain that is. */
export function CompareScreen() {
  const search = useSearch({ from: '/signed-in/compare' });
  const compared = comparisonQueryOf(search);
  const title = useTitle(search);
  const several = (search.runs?.length ?? 0) - 1;
  return (
    <>
      <Head title={title} trail={TRAIL} />
      {!compared && <ChosenRuns search={search} />}
      {compared && (
        <>
          {/* Figures of other runs, or by another measure, are never shown meanwhile. */}
          <QueryBoundary
            key={`answer ${String(compared)}`}
            rows={ANSWER_ROWS + (several > 1 ? several + 3 : 0)}
            label="Comparing"
          >
            <Answer search={search} />
          </QueryBoundary>
          <ChosenRuns search={search} />
          <QueryBoundary key={String(compared)} rows={40} label="Comparing">
            <Comparisons search={search} />
          </QueryBoundary>
        </>
      )}
    </>
  );
}

const TRAIL = [{ to: '/runs', label: 'Runs' }] as const;
/** About as high as the answer with its picture. */
const ANSWER_ROWS = 12;

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
  const shown = shownOf(comparisons, search);
  return (
    <>
      {comparisons.length > 1 && <RunsAgainstBaseline comparisons={comparisons} search={search} />}
      <div className={css.first}>
        <ComparisonAnswer comparison={shown} search={search} />
        <ComparedCosts comparison={shown} search={search} />
      </div>
    </>
  );
}

/** Where to look: the models, the groups, the cases, and what was changed. */
function Comparisons({ search }: { search: CompareSearch }) {
  const { data: comparisons } = useSuspenseQuery(comparisonsQuery(search));
  const comparison = shownOf(comparisons, search);
  return (
    <>
      {comparisons.length > 1 && <ModelStrips comparisons={comparisons} search={search} />}
      <ComparisonFigures comparison={comparison} search={search} isOne={comparisons.length === 1} />
      <GroupedFigures comparison={comparison} search={search} />
      <ComparedPairs comparison={comparison} search={search} />
      <ChangedSettings comparison={comparison} />
    </>
  );
}
