import { useEffect } from 'react';
import type { LiveTeamEvent } from '#lib/client/live-connection';
import { queryClient, refreshWork } from '../api/query-client';
import { keys } from '../api/keys';
import { closeLiveConnection, liveConnection, useResumptions } from './connection';

/** Thousands of jobs may begin and end: lists are refreshed at most this often. */
const REFRESH_MS = 1000;
/** Without events, lists that are seen are read again this often. */
const POLL_MS = 15_000;

/** Keeps lists of runs and jobs up to date as long as the page is open. */
export function useTeamEvents(): void {
  const resumptions = useResumptions();
  useEffect(() => {
    const stop = new AbortController();
    let poll: ReturnType<typeof setInterval> | undefined;
    const refresh = atMostEvery(REFRESH_MS, (runs) => runs.forEach((run) => void refreshWork(run)), stop.signal);
    const hear = (news: LiveTeamEvent): void => {
      if (news.name === 'refused') return void resetSession();
      if (news.name === 'connected' || news.name === 'disconnected') {
        clearInterval(poll);
        if (news.name === 'disconnected') poll = setInterval(() => document.hidden || refresh(undefined), POLL_MS);
        return refresh(undefined);
      }
      if ('result_ref' in news.event.data) refresh(news.event.data.result_ref);
    };
    void liveConnection().then((connection) => connection.onTeamEvent(hear, { signal: stop.signal }));
    return () => {
      stop.abort();
      clearInterval(poll);
    };
  }, [resumptions]);
}

/** An API may answer reads of a session that has ended for three seconds. */
const REMEMBERED_MS = 3500;

/** The session has ended: refetching the user asks to sign in again. */
async function resetSession(): Promise<void> {
  await closeLiveConnection();
  const askAgain = () => queryClient.invalidateQueries({ queryKey: keys.me });
  await askAgain();
  setTimeout(() => void askAgain(), REMEMBERED_MS);
}

const MAX_RUNS = 20;
function atMostEvery(
  ms: number,
  act: (runs: (string | undefined)[]) => void,
  signal: AbortSignal,
): (run: string | undefined) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const runs = new Set<string | undefined>();
  signal.addEventListener('abort', () => clearTimeout(timer));
  return (run) => {
    // Views of runs beyond these are refreshed when they are next opened.
    if (runs.size < MAX_RUNS) runs.add(run);
    timer ??= setTimeout(() => {
      timer = undefined;
      act([...runs]);
      runs.clear();
    }, ms);
  };
}
