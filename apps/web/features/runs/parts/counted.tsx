import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { QueryBoundary } from '../../../ui/query-boundary';
import { isUnderWay } from '../../../ui/status';
import { isCounting, type CountedQuery } from '../api';

/** Figures of a run, once it has ended and they have been counted; undefined until then. */
export function useCounted<Figures extends object>(
  run: Pick<Run, 'status'>,
  query: CountedQuery<Figures>,
): Figures | undefined {
  const { data } = useQuery({ ...query, enabled: !isUnderWay(run.status) });
  return isCounting(data) ? undefined : data;
}

interface Props<Figures extends object> {
  query: CountedQuery<Figures>;
  /** The height reserved for the content, in rows. */
  rows: number;
  children: (figures: Figures) => ReactNode;
}

/** Content made of counted figures. Shows a notice while the run is in progress or the figures are being counted. */
export function Counted<Figures extends object>({ run, ...counted }: Props<Figures> & { run: Pick<Run, 'status'> }) {
  if (!isUnderWay(run.status))
    return (
      <QueryBoundary rows={counted.rows}>
        <Ended {...counted} />
      </QueryBoundary>
    );
  return (
    <p className="muted" style={{ minHeight: counted.rows * ROW }}>
      Available when the run has ended.
    </p>
  );
}

function Ended<Figures extends object>({ query, rows, children }: Props<Figures>) {
  const { data } = useSuspenseQuery(query);
  if (!isCounting(data)) return children(data);
  return (
    <div role="status" aria-busy="true" style={{ minHeight: rows * ROW }}>
      <p className="muted">The results are being counted.</p>
      <div className="skeleton" style={{ height: (rows - 1) * ROW }} />
    </div>
  );
}

const ROW = 32;
