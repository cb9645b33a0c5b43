import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { runQuery } from '../api/runs';
import { ErrorNotice } from '../../../ui/error-notice';
import { Skeleton } from '../../../ui/skeleton';

/** The content of a screen about a run, once the run is there. */
export function OfRun({ runId, children }: { runId: string; children: (run: Run) => ReactNode }) {
  const { data: run, error, isPending, refetch } = useQuery(runQuery(runId));
  if (isPending) return <Skeleton rows={12} />;
  if (run) return children(run);
  return (
    <ErrorNotice error={error} retry={refetch}>
      <p>
        <Link to="/runs">All runs</Link>
      </p>
    </ErrorNotice>
  );
}
