import { useMemo, useSyncExternalStore } from 'react';
import { isUnavailable } from './connection';
import { LiveRun, type LiveRunState } from './live-run';
import { noState, nothing, watchJob } from './watch-job';

/** What comes in of the job of a run, while it is under way; undefined for one that is not. */
export function useLiveRun(jobId: string | undefined): LiveRunState | undefined {
  const live = useMemo(() => (jobId === undefined ? undefined : new LiveRun(jobId, watchJob, isUnavailable)), [jobId]);
  return useSyncExternalStore(live?.subscribe ?? nothing, live?.state ?? noState);
}
