import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { pathWith } from '../../../api/client';
import { ExportAs } from '../../../ui/export-as';
import { useKeys } from '../../../ui/keys';
import { UserText } from '../../../ui/user-text';
import { EXPORT_FORMATS, exportPath, runQuery } from '../../runs/api';
import { RunInHeading } from '../../runs/parts/run-link';
import { filterParts, inFileName, resultsFilter, withChange, type ResultsSearch } from '../address';
import { resultPages } from '../api';
import { Facets } from './facets';
import { ResultsList } from './results-list';
import css from './results.module.css';

const ROUTE = '/signed-in/runs/$runId/results';

/** The results of a run, failures first; an opened one is shown next to the list. */
export function ResultsScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { resultId } = useParams({ strict: false });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { data: run, refetch } = useSuspenseQuery(runQuery(runId));
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const [readAt, setReadAt] = useState(0);
  const queryClient = useQueryClient();
  const go = (next: ResultsSearch): void =>
    void navigate({ to: '/runs/$runId/results', params: { runId }, search: next });
  useKeys({ f: () => go(withChange(search, { passed: search.passed === false ? undefined : false })) });
  const readAgain = (): void => {
    queryClient.removeQueries({ queryKey: resultPages(runId) });
    void refetch();
    setReadAt(readAt + 1);
  };
  return (
    <>
      <Head run={run} search={search} readAgain={readAgain} />
      <div className={`${css.results} ${resultId === undefined ? '' : css.withResult}`}>
        <button
          type="button"
          className={css.facetsSwitch}
          aria-expanded={areFacetsOpen}
          onClick={() => setFacetsOpen(!areFacetsOpen)}
        >
          Filters
        </button>
        <aside className={`${css.facets} ${areFacetsOpen ? css.open : ''}`} aria-label="Filters">
          <Facets run={run} search={search} go={go} />
        </aside>
        <section className={css.stack} aria-label="List">
          <ChosenFilters search={search} go={go} />
          <ResultsList key={`${readAt} ${runId} ${JSON.stringify(search)}`} {...{ run, search, resultId }} />
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
        <Export runId={run.id} search={search} />
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
          className={`dense ${css.chosen}`}
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

/** The filtered results, as a file. */
function Export({ runId, search }: { runId: string; search: ResultsSearch }) {
  const filter = pathWith('', { ...resultsFilter(search), order: undefined }).replace('?', '&');
  return (
    <ExportAs
      files={EXPORT_FORMATS.map(([format, name, extension]) => ({
        format,
        name,
        path: `${exportPath(runId, format)}${filter}`,
        fileName: `toolmark-${runId}${inFileName(search)}.${extension}`,
      }))}
    />
  );
}
