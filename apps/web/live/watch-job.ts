import type { WatchEvent, WatchOptions } from '#lib/client/job-watch';
import { liveConnection } from './connection';

/** Watches a job over the page's one socket. */
export async function* watchJob(jobId: string, options: WatchOptions): AsyncGenerator<WatchEvent> {
  yield* (await liveConnection()).watchJob(jobId, options);
}

export const nothing = (): (() => void) => () => {};
export const noState = (): undefined => undefined;
