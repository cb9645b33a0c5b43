import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.js';

const LOOK_EVERY_MS = 500;

/**
 * Waits until every check passes: one line of the log names all that is missing, with the reasons, and one says of
 * each that it has come. A signal ends the process meanwhile; as process 1 of a container it would otherwise be
 * ignored.
 */
export async function waitForDependencies(
  needs: Record<string, () => Promise<unknown>>,
  logger: Logger,
): Promise<void> {
  const end = (): never => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end);
  const because: Record<string, string> = {};
  const look = (name: string) =>
    needs[name]!().then(
      () => undefined,
      (error: Error & { code?: string }) => (because[name] = error.message || String(error.code)),
    );
  const names = Object.keys(needs);
  await Promise.all(names.map(look));
  const missing = Object.keys(because).sort((a, b) => names.indexOf(a) - names.indexOf(b));
  if (missing.length > 0) logger.warn({ because: { ...because } }, `Waiting for ${missing.join(' and ')}`);
  await Promise.all(
    missing.map(async (name) => {
      do await delay(LOOK_EVERY_MS);
      while (await look(name));
      logger.info(`${name}: there now`);
    }),
  );
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end);
}
