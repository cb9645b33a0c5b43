import type { WatchEvent, WatchOptions } from './job-watch.js';
import { LiveConnection } from './live-connection.js';

/** Follows one job over its own connection, like `LiveConnection.watchJob`. */
export async function* watchJob(
  serverUrl: string,
  jobId: string,
  { token, ...options }: WatchOptions & { token?: string } = {},
): AsyncGenerator<WatchEvent> {
  const { signal } = options;
  if (signal?.aborted) return;
  const connection = new LiveConnection(serverUrl, { token });
  const close = (): void => connection.close();
  // At once, whatever its reader is doing.
  signal?.addEventListener('abort', close);
  try {
    yield* connection.watchJob(jobId, options);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}
