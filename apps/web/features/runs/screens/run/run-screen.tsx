import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { memo, useEffect } from 'react';
import type { Run } from '#lib/contracts/run';
import { POLL_MS, refreshWork } from '../../../../api/query-client';
import { useLive } from '../../../../live/use-live';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { isUnderWay } from '../../../../ui/status';
import { newestReportsQuery } from '../../../judge/api';
import { ReportRows } from '../../../judge/parts/report-rows';
import { runQuery } from '../../api';
import { LiveRun } from '../../live';
import { RunBreakdown } from './run-breakdown';
import { RunHead } from './run-head';
import { RunModels } from './run-models';
import { RunProgress } from './run-progress';
import { RunRescores } from './run-rescores';

// While results arrive, the screen is rendered up to once a frame; these parts only when the run has changed.
const Head = memo(RunHead);
const Models = memo(RunModels);
const Breakdown = memo(RunBreakdown);
const BelowFigures = memo(ReportsAndRescores);

/** A run: which model is better, the cost, and the reasons. */
export function RunScreen() {
  const { runId } = useParams({ from: '/signed-in/runs/$runId' });
  const { data: run } = useSuspenseQuery({ ...runQuery(runId), staleTime: 0 });
  const live = useLive(LiveRun, isUnderWay(run.status) ? run.job_id : undefined);
  const isBehind = live !== undefined && (live.connection !== 'live' || live.isTruncated || live.hasEnded);
  useQuery({ ...runQuery(runId), refetchInterval: isBehind ? POLL_MS : false });
  const changes = live?.changes ?? 0;
  useEffect(() => {
    if (changes > 0) void refreshWork(runId);
  }, [changes, runId]);
  return (
    <>
      <Head run={run} />
      {live && isUnderWay(run.status) && <RunProgress run={run} live={live} />}
      <Models run={run} />
      <Breakdown run={run} />
      <BelowFigures run={run} />
    </>
  );
}

function ReportsAndRescores({ run }: { run: Run }) {
  return (
    <>
      <QueryBoundary rows={0}>
        <Reports runId={run.id} />
      </QueryBoundary>
      <QueryBoundary rows={0}>
        <RunRescores run={run} />
      </QueryBoundary>
    </>
  );
}

/** The newest judge reports on a run. */
function Reports({ runId }: { runId: string }) {
  const { items, next_cursor: next } = useSuspenseQuery(newestReportsQuery(runId)).data;
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="judge" className="section">
      <div className="head">
        <h2 id="judge">Judge reports</h2>
        <div className="actions">
          <Link to="/judge/labels" search={{ eval: runId }}>
            Label results
          </Link>
          {next !== null && (
            <Link to="/judge" search={{ eval: runId }}>
              All reports
            </Link>
          )}
        </div>
      </div>
      <ReportRows reports={items} />
    </section>
  );
}
