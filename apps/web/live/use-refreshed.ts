import { useEffect, useRef } from 'react';
import { POLL_MS, refreshWork } from '../api/jobs';
import type { LiveState } from './live-job';

/** What comes in may come many a second: what it brought is asked for this often at most. */
const REFRESH_MS = 1000;

/** Reads a tune or a report again, and what it is made of, when something came in of it, or nothing can. */
export function useRefreshed(id: string, live: (LiveState & { received: number }) | undefined): void {
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
