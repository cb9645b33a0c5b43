import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { Empty } from '../../../ui/empty';
import { FilterChoice, TypedFilter } from '../../../ui/filters';
import { List } from '../../../ui/list';
import type { Column } from '../../../ui/table';
import { providersQuery } from '../../providers/api';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { STATUS_FILTERS, type RunsSearch, type StatusFilter } from '../address';
import { listedRunsQuery } from '../api';
import { RunDelete } from '../parts/run-delete';
import { RUN_COLUMNS } from '../parts/run-rows';

/** All runs, newest first. */
export function RunsScreen() {
  const search = useSearch({ from: '/signed-in/runs' });
  const navigate = useNavigate();
  const { suite, status, model, after } = search;
  return (
    <>
      <div className="head">
        <h1>Runs</h1>
        <Link to="/runs/new" search={{ suite }} className="button primary">
          New run
        </Link>
      </div>
      <Filters
        search={search}
        narrow={(change) => void navigate({ to: '/runs', search: { ...search, after: undefined, ...change } })}
      />
      <List
        label="List of runs"
        of="runs"
        query={listedRunsQuery(search)}
        after={after}
        className="run-rows"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={<NoRuns isFiltered={Boolean(suite ?? status ?? model ?? after)} />}
      />
    </>
  );
}

interface FiltersProps {
  search: RunsSearch;
  narrow: (change: Partial<RunsSearch>) => void;
}

/** Filters of the list. They are in the address, so that a shared link shows the same list. */
function Filters({ search: { suite, status, model }, narrow }: FiltersProps) {
  const providers = useQuery(providersQuery);
  return (
    <div className="actions" role="search" aria-label="Filter runs">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <FilterChoice
        label="Status"
        choices={Object.entries(STATUS_FILTERS).map(([key, [word]]) => [key, word])}
        value={status}
        choose={(chosen) => narrow({ status: chosen as StatusFilter | undefined })}
      />
      <TypedFilter
        key={model ?? ''}
        label="Model"
        value={model}
        maxLength={300}
        list="models-of-runs"
        choose={(chosen) => narrow({ model: chosen })}
      >
        <datalist id="models-of-runs">
          {providers.data?.items.flatMap(({ key, models }) =>
            models.map(({ id }) => <option key={`${key}::${id}`} value={`${key}::${id}`} />),
          )}
        </datalist>
      </TypedFilter>
    </div>
  );
}

const NoRuns = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty
      action={
        <Link to="/runs" className="button">
          All runs
        </Link>
      }
    >
      No runs match.
    </Empty>
  ) : (
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

const COLUMNS: Column<Run>[] = [
  ...RUN_COLUMNS,
  { name: 'Actions', isNameHidden: true, cell: (run) => <RunDelete run={run} dense /> },
];
