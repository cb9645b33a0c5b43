import { setTimeout as delay } from 'node:timers/promises';

/** Size of JSON that can be parsed or printed in a few milliseconds. */
export const LARGE_CHARACTERS = 512 * 1024;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs work on a text in this thread. Work on a small text runs at once. Work on large texts runs one at a time, and
 * after each one the thread is left to others for as long as it took.
 * @param size of the text, in characters
 */
export function runSerially<Result>(work: () => Result, size: number): Promise<Result> | Result {
  if (size < LARGE_CHARACTERS) return work();
  let tookMs = 0;
  const result = last.then(() => {
    const started = performance.now();
    try {
      return work();
    } finally {
      tookMs = performance.now() - started;
    }
  });
  const pause = (): Promise<void> => delay(Math.ceil(tookMs));
  last = result.then(pause, pause);
  return result;
}
