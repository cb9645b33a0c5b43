import { useMemo, useSyncExternalStore } from 'react';
import { isUnavailable } from './connection';
import type { WatchArguments, LiveJob, LiveState } from './live-job';
import { noState, nothing, watchJob } from './watch-job';

type Kind<State extends LiveState> = new (...following: WatchArguments) => LiveJob<State>;

/**
 * Live state of a job while it is in progress; undefined otherwise.
 * @param Live the class that collects it, such as `LiveRun`
 */
export function useLive<State extends LiveState>(Live: Kind<State>, jobId: string | undefined): State | undefined {
  const live = useMemo(
    () => (jobId === undefined ? undefined : new Live(jobId, watchJob, isUnavailable)),
    [Live, jobId],
  );
  return useSyncExternalStore(live?.subscribe ?? nothing, live?.state ?? noState);
}
