import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.js';

const CHECK_EVERY_MS = 500;

/**
 * Waits until every check passes. It logs once which dependencies are missing and why, and once for each when it is
 * available. Until then, a signal ends the process; process 1 of a container would otherwise ignore it.
 */
export async function waitForDependencies(
  checks: Record<string, () => Promise<unknown>>,
  logger: Logger,
): Promise<void> {
  const exit = (): never => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, exit);
  const reasons: Record<string, string> = {};
  const check = (name: string) =>
    checks[name]!().then(
      () => undefined,
      (error: Error & { code?: string }) => (reasons[name] = error.message || String(error.code)),
    );
  const names = Object.keys(checks);
  await Promise.all(names.map(check));
  const missing = Object.keys(reasons).sort((a, b) => names.indexOf(a) - names.indexOf(b));
  if (missing.length > 0) logger.warn({ because: { ...reasons } }, `Waiting for ${missing.join(' and ')}`);
  await Promise.all(
    missing.map(async (name) => {
      do await delay(CHECK_EVERY_MS);
      while (await check(name));
      logger.info(`${name}: there now`);
    }),
  );
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, exit);
}
