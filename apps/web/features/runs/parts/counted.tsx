import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { isCounting, type CountedQuery } from '../api/counted';
import { ErrorNotice } from '../../../ui/error-notice';
import { isUnderWay } from '../../../ui/status';

const ROW = 32;

/** Figures of a run, once it has ended and they have been counted; undefined until then. */
export function useCounted<Figures extends object>(
  run: Pick<Run, 'status'>,
  query: CountedQuery<Figures>,
): Figures | undefined {
  const { data } = useQuery({ ...query, enabled: !isUnderWay(run.status) });
  return isCounting(data) ? undefined : data;
}

interface Props<Figures extends object> {
  run: Pick<Run, 'status'>;
  query: CountedQuery<Figures>;
  /** The height reserved for the content, in rows. */
  rows: number;
  children: (figures: Figures) => ReactNode;
}

/** Content made of counted figures. Shows a notice while the run is in progress or the figures are being counted. */
export function Counted<Figures extends object>({ run, query, rows, children }: Props<Figures>) {
  const { data, error, refetch } = useQuery({ ...query, enabled: !isUnderWay(run.status) });
  if (isUnderWay(run.status))
    return (
      <p className="muted" style={{ minHeight: rows * ROW }}>
        Available when the run has ended.
      </p>
    );
  if (error && !data) return <ErrorNotice error={error} retry={() => refetch()} />;
  if (data && !isCounting(data)) return children(data);
  return (
    <div role="status" aria-busy="true" style={{ minHeight: rows * ROW }}>
      {data ? <p className="muted">The results are being counted.</p> : <span className="unseen">Loading</span>}
      <div className="skeleton" style={{ height: (rows - 1) * ROW }} />
    </div>
  );
}
