import { setImmediate } from 'node:timers/promises';

const MAX_TURN_MS = 10;

/** Await the returned function between the steps of long work, so that the process can serve other requests. */
export function yieldToEventLoop(): () => Promise<void> | undefined {
  let startedMs = performance.now();
  return () => {
    if (performance.now() - startedMs < MAX_TURN_MS) return undefined;
    return setImmediate().then(() => void (startedMs = performance.now()));
  };
}
