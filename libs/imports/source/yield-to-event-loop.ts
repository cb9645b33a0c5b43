import { setImmediate } from 'node:timers/promises';

const LONGEST_TURN_MS = 20;

/** Awaited between pieces of long work, so that others of the process get their turn. */
export function yieldToEventLoop(): () => Promise<void> | undefined {
  let startedMs = performance.now();
  return () => {
    if (performance.now() - startedMs < LONGEST_TURN_MS) return undefined;
    return setImmediate().then(() => void (startedMs = performance.now()));
  };
}
