import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { STATUS_FILTERS, type RunsSearch } from '../address';
import { runsQuery } from '../api/runs';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { RunDelete } from '../parts/run-delete';
import { RunRows } from '../parts/run-rows';
import { Skeleton } from '../../../ui/skeleton';
import { PageLinks } from '../../../ui/page-links';
import { RunFilters } from './run-filters';

/** All runs, newest first. */
export function RunsScreen() {
  const search = useSearch({ from: '/signed-in/runs' });
  const navigate = useNavigate();
  const { suite, status, model, after } = search;
  const runs = useQuery(runsQuery({ suite, model, cursor: after, statuses: status && STATUS_FILTERS[status][1] }));
  const narrow = (change: Partial<RunsSearch>): void =>
    void navigate({ to: '/runs', search: { ...search, after: undefined, ...change } });
  return (
    <>
      <div className="head">
        <h1>Runs</h1>
        <Link to="/runs/new" search={{ suite }} className="button primary">
          New run
        </Link>
      </div>
      <RunFilters search={search} narrow={narrow} />
      {runs.isError && <ErrorNotice error={runs.error} retry={() => runs.refetch()} />}
      {runs.isPending && <Skeleton rows={8} />}
      {runs.data && runs.data.items.length > 0 && (
        <RunRows runs={runs.data.items} more={(run) => <RunDelete run={run} dense />} />
      )}
      {runs.data?.items.length === 0 && <NoRuns isFiltered={Boolean(suite ?? status ?? model ?? after)} />}
      <PageLinks of="runs" after={after} next={runs.data?.next_cursor ?? null} />
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty
        action={
          <Link to="/runs" className="button">
            All runs
          </Link>
        }
      >
        No runs match.
      </Empty>
    );
  return (
    <Empty
      action={
        <Link to="/runs/new" className="button primary">
          New run
        </Link>
      }
    >
      No runs yet. A run plays the cases of a suite with one or more models.
    </Empty>
  );
}
