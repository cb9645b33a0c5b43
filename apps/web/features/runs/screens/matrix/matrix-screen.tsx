import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { Run } from '#lib/contracts/run';
import type { RunCases, RunFacets } from '#lib/contracts/run-facets';
import { count } from '../../../../ui/amounts';
import { Empty } from '../../../../ui/empty';
import { FilterChoice } from '../../../../ui/filters';
import { Head } from '../../../../ui/head';
import { visible } from '../../../../ui/user-text';
import { matrixSearch, type MatrixSearch } from '../../address';
import { facetsQuery, runCasesQuery, runQuery } from '../../api';
import { Counted } from '../../parts/counted';
import { runInTitle, trailOfRun } from '../../parts/run-link';
import { RunTabs } from '../../parts/run-tabs';
import { CaseMap } from './case-map';
import { casesInWords, sumsOf } from './case-rows';

const ROUTE = '/signed-in/runs/$runId/matrix';
const ROWS = 20;

/** Where models disagree: each case with each model's result. */
export function MatrixScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const asked = useSearch({ from: ROUTE });
  // What is shown stays until what is asked for is there.
  const search = useDeferredValue(asked);
  const { rescore } = search;
  const isWaiting = search !== asked;
  return (
    <>
      <Head title={`Cases by model of ${runInTitle(run, rescore)}`} trail={trailOfRun(run)} />
      <RunTabs runId={runId} rescore={rescore} />
      <Counted run={run} query={facetsQuery(runId, rescore)} rows={ROWS}>
        {(facets) => <Cases {...{ run, facets, search, asked, isWaiting }} />}
      </Counted>
    </>
  );
}

interface CasesProps {
  run: Run;
  facets: RunFacets;
  /** What is shown. */
  search: MatrixSearch;
  /** What the address asks for. */
  asked: MatrixSearch;
  isWaiting: boolean;
}

function Cases(props: CasesProps) {
  const { run, search } = props;
  return (
    <Counted run={run} query={runCasesQuery(run.id, search)} rows={ROWS}>
      {(cases) =>
        isTied(cases, search) ? (
          <AllCases {...props} search={{ ...search, show: 'all' }} />
        ) : (
          <Shown {...props} cases={cases} />
        )
      }
    </Counted>
  );
}

/** Where nothing differs, all cases are shown. */
const isTied = ({ counts }: RunCases, { show }: MatrixSearch): boolean =>
  show === undefined && counts.differing === 0 && counts.all > 0;

function AllCases(props: CasesProps) {
  return (
    <Counted run={props.run} query={runCasesQuery(props.run.id, props.search)} rows={ROWS}>
      {(cases) => <Shown {...props} cases={cases} />}
    </Counted>
  );
}

function Shown(props: CasesProps & { cases: RunCases }) {
  const { run, facets, search, cases } = props;
  const { counts, total } = cases;
  const sums = sumsOf(facets, counts.all);
  const isFiltered = search.category !== undefined || search.tag !== undefined;
  return (
    <>
      <p>
        {counts.all > 0 && casesInWords(counts, facets.totals)}
        {isFiltered && ` ${count(total)} ${total === 1 ? 'matches' : 'match'} the filters.`}
        {!isFiltered && search.order !== 'category' && sums.shown > 0 && sums.shown < sums.categories
          ? ` The ${sums.shown} largest of ${count(sums.categories)} categories come first.`
          : ''}
      </p>
      <Filters {...props} counts={counts} />
      {total === 0 ? (
        <NoCases run={run} counts={counts} search={search} />
      ) : (
        <CaseMap key={JSON.stringify(search)} {...{ run, facets, search, cases }} />
      )}
    </>
  );
}

const ORDERS = [
  ['failures', 'most failures'],
  ['category', 'category'],
  ['position', 'position in the suite'],
] as const;

function Filters({ run, facets, search, asked, isWaiting, counts }: CasesProps & Pick<RunCases, 'counts'>) {
  const navigate = useNavigate();
  const change = (changed: Partial<Record<keyof MatrixSearch, string | undefined>>): void =>
    void navigate({
      to: '/runs/$runId/matrix',
      params: { runId: run.id },
      search: matrixSearch({ ...asked, ...changed }),
      replace: true,
      resetScroll: false,
    });
  const shown = isWaiting ? asked.show : search.show;
  const valuesOf = ({ values }: RunFacets['tag']) => values.map(({ value }) => [value, visible(value)] as const);
  return (
    <div className="actions" aria-busy={isWaiting || undefined}>
      <FilterChoice
        label="Cases"
        none={`where models differ (${count(counts.differing)})`}
        choices={[
          ['all', `all (${count(counts.all)})`],
          ['all_failed', `where no model passed (${count(counts.all_failed)})`],
        ]}
        value={shown === 'differing' ? undefined : shown}
        choose={(show) => change({ show: show ?? (counts.differing === 0 ? 'differing' : undefined) })}
      />
      <FilterChoice
        label="Order"
        none="most disagreement"
        choices={ORDERS}
        value={asked.order === 'disagreement' ? undefined : asked.order}
        choose={(order) => change({ order })}
      />
      {facets.category.values.length > 0 && (
        <FilterChoice
          label="Category"
          choices={valuesOf(facets.category)}
          value={asked.category}
          choose={(category) => change({ category })}
        />
      )}
      {facets.tag.values.length > 0 && (
        <FilterChoice label="Tag" choices={valuesOf(facets.tag)} value={asked.tag} choose={(tag) => change({ tag })} />
      )}
    </div>
  );
}

function NoCases({ run, counts, search }: { run: Run; counts: RunCases['counts']; search: MatrixSearch }) {
  if (counts.all === 0) return <Empty>The run has no results.</Empty>;
  const isFiltered = search.category !== undefined || search.tag !== undefined;
  return (
    <Empty
      action={
        <Link
          to="/runs/$runId/matrix"
          params={{ runId: run.id }}
          search={{ rescore: search.rescore, show: 'all' }}
          className="button"
        >
          Show all cases
        </Link>
      }
    >
      {isFiltered && 'No cases match these filters.'}
      {!isFiltered && search.show === 'all_failed' && 'At least one model passed each case.'}
      {!isFiltered && search.show === 'differing' && 'All models did equally well on every case.'}
    </Empty>
  );
}
