import { setTimeout as delay } from 'node:timers/promises';

/** Characters of JSON that are parsed or printed in a few milliseconds. */
export const LARGE_CHARACTERS = 512 * 1024;

let last: Promise<unknown> = Promise.resolve();

/**
 * Does work on a text of this size in this thread. Large ones are taken one at a time, and the thread is left to
 * everyone else for as long as each of them took.
 * @param size characters
 */
export function runSerially<Made>(work: () => Made, size: number): Promise<Made> | Made {
  if (size < LARGE_CHARACTERS) return work();
  let tookMs = 0;
  const made = last.then(() => {
    const started = performance.now();
    try {
      return work();
    } finally {
      tookMs = performance.now() - started;
    }
  });
  const pause = (): Promise<void> => delay(Math.ceil(tookMs));
  last = made.then(pause, pause);
  return made;
}
