import { Link, useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import type { Page } from '#lib/contracts/page';
import { MAX_COMPARED_RUNS } from '#lib/contracts/values/comparison';
import { isUnderWay } from '../../../ui/status';
import type { RunsSearch } from '../address';
import { listedRunsQuery } from '../api';
import { runName } from '../parts/run-link';
import { afterTick } from './ticks';
import css from './runs.module.css';

interface Ticks {
  has: (id: string) => boolean;
  boxOf: (run: Run, index: number) => ReactNode;
}

/** Which runs are ticked for a comparison: in the address, so that they stay from page to page. */
export function useTicks(search: RunsSearch): Ticks {
  const navigate = useNavigate();
  const client = useQueryClient();
  const last = useRef<number>(undefined);
  const ticked = search.ticked ?? [];
  const rows = (): Run[] => client.getQueryData<Page<Run>>(listedRunsQuery(search).queryKey)?.items ?? [];
  const tick = (index: number, isRange: boolean): void => {
    const ids = rows().map((run) => (canCompare(run) ? run.id : undefined));
    const next = afterTick(ticked, ids, { at: index, from: isRange ? last.current : undefined });
    last.current = index;
    void navigate({
      to: '/runs',
      search: { ...search, ticked: next.length > 0 ? next : undefined },
      replace: true,
      resetScroll: false,
    });
  };
  return {
    has: (id) => ticked.includes(id),
    boxOf: (run, index) => {
      const isTicked = ticked.includes(run.id);
      const isFull = !isTicked && ticked.length >= MAX_COMPARED_RUNS;
      return (
        <input
          type="checkbox"
          aria-label={`Compare ${runName(run).slice(0, 100)}`}
          title={isFull ? `At most ${MAX_COMPARED_RUNS} runs` : undefined}
          disabled={isFull || !canCompare(run)}
          checked={isTicked}
          onChange={({ nativeEvent }) => tick(index, (nativeEvent as MouseEvent).shiftKey)}
        />
      );
    },
  };
}

const canCompare = ({ status, summaries }: Run): boolean => !isUnderWay(status) && summaries.length > 0;

/** What can be done with the ticked runs, above the end of the list. */
export function TickedRuns({ search }: { search: RunsSearch }) {
  const { ticked = [] } = search;
  if (ticked.length === 0) return null;
  // Ids follow time: the oldest is the baseline.
  const runs = ticked.toSorted();
  return (
    <div className={css.ticked} role="region" aria-label="Ticked runs">
      {runs.length < 2 ? (
        <span className="muted">Tick another run to compare.</span>
      ) : (
        <Link to="/compare" search={{ runs }} className="button primary">
          Compare ({runs.length})
        </Link>
      )}
      <Link to="/runs" search={{ ...search, ticked: undefined }} className="button" replace resetScroll={false}>
        Clear
      </Link>
    </div>
  );
}
