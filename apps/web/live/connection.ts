import type { LiveConnection } from '#lib/client/live-connection';

let current: Promise<LiveConnection> | undefined;

/** The one socket of the page. Its code is loaded when somebody first listens. */
export function liveConnection(): Promise<LiveConnection> {
  current ??= import('#lib/client/live-connection').then(
    ({ LiveConnection }) => new LiveConnection(location.origin),
    (error) => {
      current = undefined;
      throw error;
    },
  );
  return current;
}

/** Ends the socket, whose session has ended. Whoever listens next begins another one. */
export async function closeLiveConnection(): Promise<void> {
  const ended = current;
  current = undefined;
  await ended?.then((connection) => connection.close()).catch(() => {});
}
