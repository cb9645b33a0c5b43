import { useEffect, useRef } from 'react';
import { POLL_MS, refreshWork } from '../api/refresh';
import type { LiveState } from './live-job';

/** There may be many events a second: what they announce is fetched at most this often. */
const REFRESH_MS = 1000;

/** Refetches a tune or a report and its parts when there are live events, or periodically if there can be none. */
export function useRefreshOnEvents(id: string, live: (LiveState & { received: number }) | undefined): void {
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
    }, REFRESH_MS);
  }, [received, id]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isBehind) return;
    const poll = setInterval(() => void refreshWork(id), POLL_MS);
    return () => clearInterval(poll);
  }, [isBehind, id]);
}
