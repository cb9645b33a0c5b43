import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { keepView, useKeptView } from '../parts/kept-view';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { List } from '../../../ui/list';
import { useHidden } from '../../../ui/undo';
import { keptOf, runsSearch } from '../address';
import { listedRunsQuery } from '../api';
import { runColumns } from '../parts/run-rows';
import { RunRowMenu } from './run-row-menu';
import { RunsFilters } from './runs-filters';
import css from './runs.module.css';
import { SortLink } from './sort-link';
import { sortedBy } from './sorted-by';
import { TickedRuns, useTicks } from './ticked-runs';

/** All runs: what changed, what it cost, and which to compare. */
export function RunsScreen() {
  const search = useSearch({ from: '/signed-in/runs' });
  const navigate = useNavigate();
  const hidden = useHidden();
  const kept = keptOf(search);
  const restore = useCallback(
    (filters: Record<string, unknown>) =>
      void navigate({
        to: '/runs',
        search: runsSearch({ ...filters, reverse: filters.reverse === 'true' || undefined }),
        replace: true,
      }),
    [navigate],
  );
  const isPlain = Object.values(search).every((value) => value === undefined);
  useKeptView('runs', isPlain ? restore : undefined);
  const ticks = useTicks(search);
  const isFiltered = search.after !== undefined || Object.values(kept).some((value) => value !== undefined);
  return (
    <>
      <Head title="Runs" />
      <RunsFilters search={search} />
      <List
        label="List of runs"
        of="runs"
        query={listedRunsQuery(search)}
        after={search.after}
        className={`run-rows ${css.list}`}
        hasCards
        height={14}
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ hidden: hidden.has(id) || undefined, 'data-ticked': ticks.has(id) || undefined })}
        words={search.order === undefined ? undefined : ['First', 'Next']}
        columns={[
          {
            name: 'Compare',
            isNameHidden: true,
            onPhone: 'hidden',
            cell: ticks.boxOf,
          },
          ...runColumns(search.model).map((column) => ({
            ...column,
            head: <SortLink column={column.name} search={search} />,
            sorted: sortedBy(column.name, search),
          })),
          { name: 'Actions', isNameHidden: true, cell: (run) => <RunRowMenu run={run} /> },
        ]}
        empty={<NoRuns isFiltered={isFiltered} />}
      />
      <TickedRuns search={search} />
    </>
  );
}

const NoRuns = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty
      action={
        <Link to="/runs" className="button" onClick={() => keepView('runs', {})}>
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
