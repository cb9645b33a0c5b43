import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { pathWith } from '../../../api/client';
import { useExport } from '../../../ui/export-as';
import { useKeys } from '../../../ui/keys';
import { Head } from '../../../ui/head';
import { MenuItem } from '../../../ui/menu';
import { UserText } from '../../../ui/user-text';
import { EXPORT_FORMATS, exportPath, runQuery } from '../../runs/api';
import { runInTitle, trailOfRun } from '../../runs/parts/run-link';
import { RunTabs } from '../../runs/parts/run-tabs';
import { resultsFilter, withChange, type ResultsSearch } from '../address';
import { filterParts, inFileName } from '../filter-words';
import { resultPages } from '../api';
import { Facets } from './facets';
import { PlaceInList, type ListPlace } from './list-place';
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
  const [place, setPlace] = useState<ListPlace>();
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
      <ResultsHead run={run} search={search} readAgain={readAgain} />
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
          <ResultsList
            key={`${readAt} ${runId} ${JSON.stringify(search)}`}
            {...{ run, search, resultId }}
            onPlace={setPlace}
          />
        </section>
        <PlaceInList value={place}>
          <Outlet />
        </PlaceInList>
      </div>
    </>
  );
}

interface HeadProps {
  run: Run;
  search: ResultsSearch;
  readAgain: () => void;
}

function ResultsHead({ run, search, readAgain }: HeadProps) {
  const file = useExport();
  const filter = pathWith('', { ...resultsFilter(search), order: undefined }).replace('?', '&');
  return (
    <>
      <Head
        title={`Results of ${runInTitle(run, search.rescore)}`}
        trail={trailOfRun(run)}
        actions={
          run.finished_at === null && (
            <button type="button" onClick={readAgain} title="The run goes on. The list shows what had ended.">
              Reload
            </button>
          )
        }
        menu={EXPORT_FORMATS.map(([format, name, extension]) => (
          <MenuItem
            key={format}
            onSelect={() =>
              file.start(
                `${exportPath(run.id, format)}${filter}`,
                `toolmark-${run.id}${inFileName(search)}.${extension}`,
              )
            }
          >
            Export as {name}
          </MenuItem>
        ))}
      />
      {file.state}
      <RunTabs runId={run.id} rescore={search.rescore} />
    </>
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
