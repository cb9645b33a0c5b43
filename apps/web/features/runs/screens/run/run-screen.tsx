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
import { rescoresQuery, runQuery } from '../../api';
import { LiveRun } from '../../live';
import { RunBreakdown } from './run-breakdown';
import { RunHead } from './run-head';
import { RunModels } from './run-models';
import { RunNotices } from './run-notices';
import { RunProgress } from './run-progress';
import { RunRescores } from './run-rescores';
import { RunTiles } from './run-tiles';

// While results arrive, the screen is rendered up to once a frame; these parts only when the run has changed.
const Answer = memo(RunAnswer);
const Models = memo(RunModels);
const Below = memo(BelowModels);

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
      <Answer run={run} />
      {live && isUnderWay(run.status) && <RunProgress run={run} live={live} />}
      <Models run={run} />
      <Below run={run} />
    </>
  );
}

function RunAnswer({ run }: { run: Run }) {
  return (
    <>
      <RunHead run={run} />
      <RunNotices run={run} />
      <RunTiles run={run} />
    </>
  );
}

/** About as high as what comes. */
const ROWS_BELOW = 40;

/** What else is known of the run. It appears at once, so that no part moves another. */
function BelowModels({ run }: { run: Run }) {
  return (
    <QueryBoundary rows={ROWS_BELOW}>
      <Parts run={run} />
    </QueryBoundary>
  );
}

function Parts({ run }: { run: Run }) {
  useSuspenseQuery(rescoresQuery(run.id));
  useSuspenseQuery(newestReportsQuery(run.id));
  return (
    <>
      {!isUnderWay(run.status) && <RunBreakdown run={run} />}
      <Reports runId={run.id} />
      <RunRescores run={run} />
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
