import type { LiveConnection } from '#lib/client/live-connection';

type Code = typeof import('#lib/client/live-connection');
const RETRY_MS = 5000;

let code: Code | undefined;
let current: Promise<LiveConnection> | undefined;

/** The one socket of the page. Its code is loaded when somebody first listens, and asked for until it is there. */
export function liveConnection(): Promise<LiveConnection> {
  current ??= loaded().then(({ LiveConnection }) => new LiveConnection(location.origin));
  return current;
}

/** Whether this error ended a watch for want of a connection. */
export const isUnavailable = (error: unknown): boolean => code !== undefined && error instanceof code.LiveUnavailable;

/** Ends the socket, whose session has ended. Whoever listens next begins another one. */
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
