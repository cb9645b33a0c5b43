import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Run } from '#lib/contracts/run';
import { withChange, filterParts, type ResultsSearch } from '../../address';
import type { Result } from '../../api/results';
import { runQuery } from '../../../runs/api/runs';
import { keys } from '../../../../api/keys';
import { DataRows } from '../../../../ui/data-rows';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { RunInHeading } from '../../../runs/parts/run-link';
import { useKeys } from '../../../../ui/keys';
import { count } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { facetsQuery } from '../../../runs/api/counted';
import { useCounted } from '../../../runs/parts/counted';
import { resultColumns } from './columns';
import { filteredTotal } from './facet-counts';
import { Facets } from './facets';
import { MAX_ROWS } from './pages';
import { ResultsExport } from './results-export';
import { useResultRows, type ResultRows } from './use-result-rows';
import './results.css';

const ROUTE = '/signed-in/runs/$runId/results';

/** The results of a run, failures first; an opened one is shown next to the list. */
export function ResultsScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { resultId } = useParams({ strict: false });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const run = useQuery(runQuery(runId));
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const [readAt, setReadAt] = useState(0);
  const queryClient = useQueryClient();
  const go = (next: ResultsSearch): void =>
    void navigate({ to: '/runs/$runId/results', params: { runId }, search: next });
  useKeys({ f: () => go(withChange(search, { passed: search.passed === false ? undefined : false })) });
  if (run.isPending) return <Skeleton rows={12} />;
  if (!run.data)
    return (
      <ErrorNotice error={run.error} retry={run.refetch}>
        <p>
          <Link to="/runs">All runs</Link>
        </p>
      </ErrorNotice>
    );
  const readAgain = (): void => {
    queryClient.removeQueries({ queryKey: [...keys.results(runId), 'page'] });
    void run.refetch();
    setReadAt(readAt + 1);
  };
  return (
    <>
      <Head run={run.data} search={search} readAgain={readAgain} />
      <div className={`results${resultId === undefined ? '' : ' with-result'}`}>
        <button
          type="button"
          className="facets-switch"
          aria-expanded={areFacetsOpen}
          onClick={() => setFacetsOpen(!areFacetsOpen)}
        >
          Filters
        </button>
        <aside className={`facets${areFacetsOpen ? ' open' : ''}`} aria-label="Filters">
          <Facets run={run.data} search={search} go={go} />
        </aside>
        <section className="results-list" aria-label="List">
          <ChosenFilters search={search} go={go} />
          <List key={`${readAt} ${runId} ${JSON.stringify(search)}`} {...{ run: run.data, search, resultId }} />
        </section>
        <Outlet />
      </div>
    </>
  );
}

function Head({ run, search, readAgain }: { run: Run; search: ResultsSearch; readAgain: () => void }) {
  return (
    <div className="head">
      <h1>
        Results of <RunInHeading run={run} rescore={search.rescore} />
      </h1>
      <div className="actions">
        {run.finished_at === null && (
          <>
            <span className="muted">The run is still going. The list shows the results at the time it was read.</span>
            <button type="button" onClick={readAgain}>
              Reload
            </button>
          </>
        )}
        <Link
          to="/runs/$runId/matrix"
          params={{ runId: run.id }}
          search={{ rescore: search.rescore }}
          className="button"
        >
          Cases by model
        </Link>
        <ResultsExport runId={run.id} search={search} />
      </div>
    </div>
  );
}

/** The filter in words; each condition can be removed. */
function ChosenFilters({ search, go }: { search: ResultsSearch; go: (search: ResultsSearch) => void }) {
  const parts = filterParts(search);
  if (parts.length === 0) return null;
  return (
    <div className="actions" role="group" aria-label="Chosen filters">
      {parts.map(({ words, without }) => (
        <button
          type="button"
          className="dense chosen"
          key={words}
          onClick={() => go(without)}
          aria-label={`Remove the filter ${words}`}
        >
          <UserText text={words} max={60} /> <span aria-hidden="true">×</span>
        </button>
      ))}
      <button type="button" className="dense plain" onClick={() => go(search.order ? { order: search.order } : {})}>
        Remove all
      </button>
    </div>
  );
}

interface ListProps {
  run: Run;
  search: ResultsSearch;
  resultId: string | undefined;
}

function List({ run, search, resultId }: ListProps) {
  const rows = useResultRows(run.id, search);
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useActiveRow(resultId, rows.indexOf);
  useFocusAfterReading(grid, resultId);
  const open = ({ id }: Result): void =>
    void navigate({ to: '/runs/$runId/results/$resultId', params: { runId: run.id, resultId: id }, search });
  const isReading = resultId !== undefined;
  const move = (index: number): void => {
    setActive(Math.max(0, Math.min(index, rows.count - 1)));
    grid.current?.focus();
  };
  const failure = (step: 1 | -1): number => {
    for (let index = active + step; index >= 0 && index < rows.count; index += step)
      if (rows.rowAt(index)?.passed === false) return index;
    return active;
  };
  useKeys(
    isReading
      ? {}
      : {
          n: () => move(failure(1)),
          p: () => move(failure(-1)),
          j: () => move(active + 1),
          k: () => move(active - 1),
        },
  );
  const columns = useMemo(() => resultColumns(run.id, search), [run.id, search]);
  if (rows.count === 0 && rows.error) return <ErrorNotice error={rows.error} retry={rows.retry} />;
  if (rows.count === 0 && !rows.isWhole) return <Skeleton rows={12} label="Loading results" />;
  if (rows.count === 0) return <NoRows run={run} search={search} />;
  return (
    <>
      <DataRows
        label="Results"
        columns={columns}
        count={rows.count}
        isMore={!rows.isWhole}
        rowAt={rows.rowAt}
        active={active}
        opened={isReading ? rows.indexOf(resultId) : undefined}
        activate={setActive}
        open={open}
        onWindow={rows.setWindow}
        gridRef={grid}
      />
      {rows.error && <ErrorNotice error={rows.error} retry={rows.retry} />}
      <RowsRead run={run} search={search} rows={rows} />
    </>
  );
}

/** Number of rows loaded, of the total; beyond the last row that a list shows, the facets have to narrow it down. */
function RowsRead({ run, search, rows }: { run: Run; search: ResultsSearch; rows: ResultRows }) {
  const facets = useCounted(run, facetsQuery(run.id, search.rescore));
  const all = facets ? filteredTotal(facets, search) : undefined;
  const inAll = all === undefined ? '' : ` of ${count(all)}`;
  return (
    <p className="muted small" role="status">
      {rows.isFull && !rows.isWhole
        ? `These are the first ${count(MAX_ROWS)}${inAll} results of this filter${inAll ? '' : '; there are more'}. ` +
          'Choose an error, a model or a category to see the others.'
        : `${count(rows.count)}${rows.isWhole ? '' : inAll} ${rows.count === 1 ? 'result' : 'results'}` +
          `${rows.isWhole ? '' : ' so far; more load as you scroll'}.`}
    </p>
  );
}

function NoRows({ run, search }: { run: Run; search: ResultsSearch }) {
  if (filterParts(search).length > 0)
    return (
      <Empty
        action={
          <Link className="button" to="/runs/$runId/results" params={{ runId: run.id }}>
            Remove the filters
          </Link>
        }
      >
        No results match these filters.
      </Empty>
    );
  return (
    <Empty
      action={
        <Link className="button" to="/runs/$runId" params={{ runId: run.id }}>
          To the run
        </Link>
      }
    >
      {run.finished_at === null ? 'No results yet.' : 'The run ended without results. See the run for the reason.'}
    </Empty>
  );
}

/** The row that keys move from: the last one opened or moved to. */
function useActiveRow(
  resultId: string | undefined,
  indexOf: (id: string) => number,
): [number, (index: number) => void] {
  const [active, setActive] = useState(0);
  const [followed, setFollowed] = useState<string>();
  if (resultId !== undefined && resultId !== followed) {
    const index = indexOf(resultId);
    if (index >= 0) {
      setFollowed(resultId);
      setActive(index);
    }
  }
  return [active, setActive];
}

/** Returns the focus to the list when the user comes back from a result. */
function useFocusAfterReading(grid: RefObject<HTMLDivElement | null>, resultId: string | undefined): void {
  const before = useRef(resultId);
  useEffect(() => {
    if (before.current !== undefined && resultId === undefined) grid.current?.focus({ preventScroll: true });
    before.current = resultId;
  }, [resultId, grid]);
}
