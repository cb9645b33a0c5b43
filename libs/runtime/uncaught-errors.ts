import { inspect } from 'node:util';
import type { Logger } from './logger.js';

/** How long a process with an uncaught error continues with its current work. */
const DRAIN_MS = 5000;

/**
 * Handles uncaught errors. It logs the error with its stack. `drain` makes the process unready and stops it from taking
 * new work. Five seconds later the process exits with code 1, and its supervisor starts another. Further uncaught
 * errors are only logged. Nothing depends on this: a crash would lose no result either.
 */
export function handleUncaughtErrors(logger: Logger, drain: (endsInMs: number) => void): void {
  let isDraining = false;
  const log = (error: unknown, message: string): void => {
    const { message: reason, stack } = error instanceof Error ? error : new Error(inspect(error));
    logger.fatal({ error: reason, stack }, message);
  };
  const end = (error: unknown): void => {
    if (isDraining) return log(error, 'Another error that nothing caught, while the process is ending');
    isDraining = true;
    log(error, `An error that nothing caught: the process takes nothing new and ends in ${DRAIN_MS / 1000} seconds`);
    setTimeout(() => process.exit(1), DRAIN_MS);
    try {
      drain(DRAIN_MS);
    } catch (drainError) {
      log(drainError, 'Draining failed');
    }
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
