import { inspect } from 'node:util';
import type { Logger } from './logger.js';

/** For how long a process that is no longer sure of itself goes on with what it has in hand. */
const DRAIN_MS = 5000;

/**
 * What becomes of a process when nothing caught an error: it says so with the stack, `drain` makes it unready and
 * keeps it from taking anything new, and five seconds later it ends with code 1, so that whoever supervises it
 * starts another. More such errors meanwhile are only logged. Everything else is as it would be after a crash, and
 * nothing depends on this.
 */
export function handleUncaughtErrors(logger: Logger, drain: (endsInMs: number) => void): void {
  let draining = false;
  const log = (error: unknown, message: string): void => {
    const { message: said, stack } = error instanceof Error ? error : new Error(inspect(error));
    logger.fatal({ error: said, stack }, message);
  };
  const end = (error: unknown): void => {
    if (draining) return log(error, 'Another error that nothing caught, while the process is ending');
    draining = true;
    log(error, `An error that nothing caught: the process takes nothing new and ends in ${DRAIN_MS / 1000} seconds`);
    setTimeout(() => process.exit(1), DRAIN_MS);
    try {
      drain(DRAIN_MS);
    } catch (another) {
      log(another, 'Draining failed');
    }
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
