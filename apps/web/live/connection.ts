import type { WatchEvent, WatchOptions } from '#lib/client/job-watch';
import type { LiveConnection } from '#lib/client/live-connection';
import { useSyncExternalStore } from 'react';
import { tab } from '../api/tab';

type Code = typeof import('#lib/client/live-connection');
const RETRY_MS = 5000;

let code: Code | undefined;
let current: Promise<LiveConnection> | undefined;

/** The one socket of the page. Its code is loaded on first use, and retried until it loads. */
export function liveConnection(): Promise<LiveConnection> {
  current ??= loaded().then(({ LiveConnection }) => new LiveConnection(location.origin, { team: tab.team() }));
  return current;
}

/** Whether a watch ended with this error because there was no connection. */
export const isUnavailable = (error: unknown): boolean => code !== undefined && error instanceof code.LiveUnavailable;

// What a session has ended with is over; the next listener begins with the next session.
tab.subscribe(() => {
  if (tab.state() !== 'valid') void closeLiveConnection();
});

/** Closes the socket after its session has ended. The next listener opens a new one. */
export async function closeLiveConnection(): Promise<void> {
  const ended = current;
  current = undefined;
  (await ended)?.close();
}

async function loaded(): Promise<Code> {
  while (!code) {
    try {
      code = await import('#lib/client/live-connection');
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return code;
}

/** Changes when a session was resumed: the connection of the one before is closed then. */
export const useResumptions = (): number => useSyncExternalStore(tab.subscribe, tab.resumptions);

/** Watches a job over the page's one socket. */
export async function* watchJob(jobId: string, options: WatchOptions): AsyncGenerator<WatchEvent> {
  yield* (await liveConnection()).watchJob(jobId, options);
}

export const nothing = (): (() => void) => () => {};
export const noState = (): undefined => undefined;
