import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.js';

const CHECK_EVERY_MS = 500;
/** From then on a process whose first checks are silent answers its probes. */
const SILENT_MS = 1000;
const NO_ANSWER = 'no answer';

/** A dependency that answers and is not what this process needs yet. Everybody may read the message. */
export class NotReadyYet extends Error {}

/**
 * Waits until every check passes. It logs once which dependencies are missing and why, once for each that turns out to
 * be there but not ready (`NotReadyYet`), and once for each when it is available. Until then, a signal ends the
 * process, since process 1 of a container would otherwise ignore it, and probes at `address` have their answers:
 * `/healthz` 200, as a restart would help nobody, and anything else 503. The port is free again when this resolves.
 */
export async function waitForDependencies(
  checks: Record<string, () => Promise<unknown>>,
  logger: Logger,
  address: { port: number; host: string },
): Promise<void> {
  const exit = (): never => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, exit);
  const names = Object.keys(checks);
  const reasons = new Map<string, Error & { code?: string }>(names.map((name) => [name, new NotReadyYet(NO_ANSWER)]));
  const check = async (name: string): Promise<void> => {
    await checks[name]!().then(
      () => reasons.delete(name),
      (error: Error) => reasons.set(name, error),
    );
  };
  const warn = (missing: string[]): void => {
    const because = Object.fromEntries(missing.map((name) => [name, textOf(reasons.get(name)!)]));
    logger.warn({ because }, `Waiting for ${missing.join(' and ')}`);
  };

  const first = Promise.all(names.map(check));
  await Promise.race([first, delay(SILENT_MS, undefined, { ref: false })]);
  const probes = reasons.size > 0 ? await answerProbes(reasons, logger, address) : undefined;
  await first;
  const missing = names.filter((name) => reasons.has(name));
  if (missing.length > 0) warn(missing);
  await Promise.all(
    missing.map(async (name) => {
      let said = reasons.get(name) instanceof NotReadyYet;
      do {
        await delay(CHECK_EVERY_MS);
        await check(name);
        if (!said && reasons.get(name) instanceof NotReadyYet) warn([name]);
        said ||= reasons.get(name) instanceof NotReadyYet;
      } while (reasons.has(name));
      logger.info(`${name}: there now`);
    }),
  );
  if (probes) await closed(probes);
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, exit);
}

const textOf = ({ message, code }: Error & { code?: string }): string => message || String(code);

/** Reasons may name addresses of stores, which are for the log only. A process whose port is taken waits without. */
async function answerProbes(
  reasons: ReadonlyMap<string, Error>,
  logger: Logger,
  { port, host }: { port: number; host: string },
): Promise<Server | undefined> {
  if (port === 0) return undefined; // Nobody knows the port.
  const server = createServer(({ url = '' }, response) => {
    const isAlive = url.split('?')[0] === '/healthz';
    const shown = [...reasons].map(([name, why]) => [name, why instanceof NotReadyYet ? why.message : NO_ANSWER]);
    response
      .writeHead(isAlive ? 200 : 503, {
        'content-type': 'application/json',
        connection: 'close',
        ...(!isAlive && { 'retry-after': '5' }),
      })
      .end(JSON.stringify({ status: 'waiting', for: Object.fromEntries(shown) }));
  });
  const fault = await new Promise<Error | undefined>((resolve) =>
    server.once('error', resolve).listen(port, host, () => resolve(undefined)),
  );
  if (!fault) return server;
  logger.warn({ error: fault.message }, 'Waiting without answers to probes');
  return undefined;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
