import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { memo, useEffect } from 'react';
import { statusOf } from '../../../../api/client';
import { POLL_MS, refreshWork } from '../../../../api/refresh';
import { runQuery } from '../../api/runs';
import { LiveRun } from '../../live';
import { useLive } from '../../../../live/use-live';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { isUnderWay } from '../../../../ui/status';
import { RunBreakdown } from './run-breakdown';
import { RunHead } from './run-head';
import { RunJudge } from './run-judge';
import { RunModels } from './run-models';
import { RunProgress } from './run-progress';
import { RunRescores } from './run-rescores';
import './run.css';

// While results arrive, the screen is rendered up to once a frame; these parts only when the run has changed.
const Head = memo(RunHead);
const Models = memo(RunModels);
const Breakdown = memo(RunBreakdown);
const Judge = memo(RunJudge);
const Rescores = memo(RunRescores);

/** A run: which model is better, the cost, and the reasons. */
export function RunScreen() {
  const { runId } = useParams({ from: '/signed-in/runs/$runId' });
  const run = useQuery({ ...runQuery(runId), refetchOnMount: 'always' });
  const jobId = run.data && isUnderWay(run.data.status) ? run.data.job_id : undefined;
  const live = useLive(LiveRun, jobId);
  const isBehind = live !== undefined && (live.connection !== 'live' || live.isTruncated || live.hasEnded);
  useQuery({ ...runQuery(runId), refetchInterval: isBehind ? POLL_MS : false });
  const changes = live?.changes ?? 0;
  useEffect(() => {
    if (changes > 0) void refreshWork(runId);
  }, [changes, runId]);

  if (run.isPending) return <Skeleton rows={12} />;
  if (!run.data && statusOf(run.error) === 404) return <NoRun />;
  if (!run.data) return <ErrorNotice error={run.error!} retry={() => run.refetch()} />;
  return (
    <>
      <Head run={run.data} />
      {run.isError && (
        <ErrorNotice error={run.error} retry={() => run.refetch()}>
          <p>Shown as of {new Date(run.dataUpdatedAt).toLocaleTimeString()}.</p>
        </ErrorNotice>
      )}
      {live && isUnderWay(run.data.status) && <RunProgress run={run.data} live={live} />}
      <Models run={run.data} />
      <Breakdown run={run.data} />
      <Judge run={run.data} />
      <Rescores run={run.data} />
    </>
  );
}

const NoRun = () => (
  <Empty
    action={
      <Link to="/runs" className="button">
        All runs
      </Link>
    }
  >
    There is no such run in your team. It may have been deleted.
  </Empty>
);
