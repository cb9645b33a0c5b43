import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { POLL_MS, refreshWork } from '../api/query-client';
import { isUnavailable, noState, nothing, useResumptions, watchJob } from './connection';
import type { LiveJob, LiveState, WatchArguments } from './live-job';

type Kind<State extends LiveState> = new (...following: WatchArguments) => LiveJob<State>;

/**
 * Live state of a job while it is in progress; undefined otherwise.
 * @param Live the class that collects it, such as `LiveRun`
 */
export function useLive<State extends LiveState>(Live: Kind<State>, jobId: string | undefined): State | undefined {
  const resumptions = useResumptions();
  const live = useMemo(
    () => (jobId === undefined ? undefined : new Live(jobId, watchJob, isUnavailable)),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- after a session that has ended, the watch begins again
    [Live, jobId, resumptions],
  );
  return useSyncExternalStore(live?.subscribe ?? nothing, live?.state ?? noState);
}

const REFRESH_MS = 1000;

/**
 * Refetches a tune or a report and its parts when there are live events, or periodically if there can be none.
 * @param everyMs how often at most what many events announce is fetched
 */
export function useRefreshOnEvents(
  id: string,
  live: (LiveState & { received: number }) | undefined,
  everyMs = REFRESH_MS,
): void {
  const { changes = 0, received = 0 } = live ?? {};
  const isBehind = live !== undefined && (live.connection !== 'live' || live.isTruncated || live.hasEnded);
  useEffect(() => {
    if (changes > 0) void refreshWork(id);
  }, [changes, id]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (received === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refreshWork(id);
    }, everyMs);
  }, [received, id, everyMs]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isBehind) return;
    const poll = setInterval(() => void refreshWork(id), Math.max(POLL_MS, everyMs));
    return () => clearInterval(poll);
  }, [isBehind, id, everyMs]);
}
