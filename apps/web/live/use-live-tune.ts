import { useMemo, useSyncExternalStore } from 'react';
import { isUnavailable } from './connection';
import { LiveTune, type LiveTuneState } from './live-tune';
import { noState, nothing, watchJob } from './watch-job';

/** What comes in of the job of a tune, while it is under way; undefined for one that is not. */
export function useLiveTune(jobId: string | undefined): LiveTuneState | undefined {
  const live = useMemo(() => (jobId === undefined ? undefined : new LiveTune(jobId, watchJob, isUnavailable)), [jobId]);
  return useSyncExternalStore(live?.subscribe ?? nothing, live?.state ?? noState);
}
