import { useMemo, useSyncExternalStore } from 'react';
import type { WatchEvent, WatchOptions } from '#lib/client/job-watch';
import { isUnavailable, liveConnection } from './connection';
import { LiveRun, type LiveRunState } from './live-run';

async function* watch(jobId: string, options: WatchOptions): AsyncGenerator<WatchEvent> {
  yield* (await liveConnection()).watchJob(jobId, options);
}

const nothing = (): (() => void) => () => {};
const noState = (): undefined => undefined;

/** What comes in of a job, while it is under way; undefined for one that is not. */
export function useLiveRun(jobId: string | undefined): LiveRunState | undefined {
  const live = useMemo(() => (jobId === undefined ? undefined : new LiveRun(jobId, watch, isUnavailable)), [jobId]);
  return useSyncExternalStore(live?.subscribe ?? nothing, live?.state ?? noState);
}
