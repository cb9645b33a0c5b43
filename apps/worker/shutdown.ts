import { stopTracing } from '#lib/runtime/tracing/tracing';
import type { WorkerParts } from './compose-worker.js';
import { ShuttingDown } from './items/claimed-items.js';

// What stops a worker:
// - SIGTERM or SIGINT. Nest calls `drain` and then `close` (worker-process.ts).
// - An uncaught error. The worker drains for four seconds and exits with code 1 (libs/runtime/uncaught-errors.ts).
// - Being stuck. /healthz answers 503 (health/liveness.ts), and Kubernetes sends SIGTERM.
// A killed worker leaves leases that expire, and the reconciler of another worker delivers its items again
// (control/reconcile.ts).

/**
 * A worker that cannot shut down cleanly, because the stores are gone, exits this long after the deadline of its items.
 */
const MAX_CLOSE_MS = 10_000;

/**
 * Claims no new items, and gives claimed ones `graceMs` to end, because requests in flight cost money. Items that have
 * not started are handed back immediately, and the remaining ones after `graceMs`.
 */
export async function drainItems(
  { processor, laneWorkers, services: { budgets }, items }: WorkerParts,
  graceMs: number,
): Promise<void> {
  processor.stopClaiming();
  await laneWorkers.pause();
  budgets.drain(new ShuttingDown('The worker is shutting down.'));
  await items.drain(graceMs);
  budgets.close();
  await laneWorkers.close();
}

/** Stops all work: items, and the control loop in parallel. */
export async function drain(worker: WorkerParts, graceMs: number): Promise<void> {
  const { items, control, loopWatch, liveness, presence, fleet, services, logger } = worker;
  setTimeout(() => {
    logger.error(
      { items: items.size },
      'The worker could not shut down cleanly; it exits now, and other workers take over its items',
    );
    process.exit(1);
  }, graceMs + MAX_CLOSE_MS).unref();
  loopWatch.stop();
  liveness.stop();
  presence.stop();
  void fleet.leave().catch(() => {}); // Otherwise the others notice its silence.
  logger.info({ items: items.size }, 'Draining: taking no new items, waiting for claimed ones');
  // The first call stops claims immediately, before any step of the control loop is awaited.
  await Promise.all([drainItems(worker, graceMs), control.stop()]);
  await services.stop();
}

/** Closes connections once no work is left. */
export async function close({ subscriber, services, pools, comparing, logger }: WorkerParts): Promise<void> {
  subscriber.disconnect();
  await comparing.close();
  await services.close();
  await pools.close();
  await stopTracing();
  logger.info('Stopped');
}
