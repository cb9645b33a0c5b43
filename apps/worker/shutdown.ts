import { stopTracing } from '#lib/runtime/tracing/tracing';
import type { WorkerParts } from './compose-worker.js';
import { ShuttingDown } from './items/claimed-items.js';

// What stops a worker:
// - SIGTERM or SIGINT. Nest calls `drain` and then `close` (worker-process.ts).
// - An error that nothing caught (libs/runtime/last-resort.ts). The worker drains for four seconds and exits with 1.
// - Being stuck. /healthz answers 503 (health/liveness.ts), and Kubernetes sends SIGTERM.
// A worker that is killed in any other way leaves leases that run out; the reconciler of another delivers its items.

/**
 * How long after draining a worker that cannot end in order, because the stores are gone, exits all the same. The
 * leases of its items run out.
 */
const GIVE_UP_MS = 10_000;

/**
 * Claims nothing new, and gives claimed items `graceMs` to end. Items that only wait for a permit are handed back at
 * once: requests under way cost money and are waited for, and so is what continues them. The rest is handed back at the
 * end.
 */
export async function drainItems(
  { processor, laneWorkers, services: { budgets }, items }: WorkerParts,
  graceMs: number,
): Promise<void> {
  processor.stopClaiming();
  await laneWorkers.pause();
  budgets.refuse(new ShuttingDown('The worker is shutting down.'));
  await items.drain(graceMs);
  budgets.close();
  await laneWorkers.close();
}

/** Stops everything that works, in order. */
export async function drain(worker: WorkerParts, graceMs: number): Promise<void> {
  const { items, control, liveness, services, logger } = worker;
  setTimeout(() => {
    logger.error(
      { items: items.size },
      'The worker could not end in order; it ends now, and others take over what it held',
    );
    process.exit(1);
  }, graceMs + GIVE_UP_MS).unref();
  liveness.stop();
  logger.info({ items: items.size }, 'Draining: no new items, waiting for those in hand');
  // Claims stop with the first call, before any step of the control loop is waited for.
  await Promise.all([drainItems(worker, graceMs), control.stop()]);
  await services.stop();
}

/** Closes connections when nothing works any more. */
export async function close({ subscriber, services, locks, logger }: WorkerParts): Promise<void> {
  subscriber.disconnect();
  await services.close();
  await locks.close();
  await stopTracing();
  logger.info('Stopped');
}
