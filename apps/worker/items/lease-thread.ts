// A thread that renews the leases of the main thread's claims, over its own connection.
import { parentPort, workerData } from 'node:worker_threads';
import { createPool, retryTransient } from '#lib/db/connection/pool';
import { LEASE_MS, renewLeases } from '#lib/db/engine/claim-items';
import { LeaseRenewal, RENEW_EVERY_MS, type LeaseThreadData, type LeaseCommand } from './lease-renewal.js';

const { databaseUrl, workerId, beats } = workerData as LeaseThreadData;
// A statement that gets no answer is repeated on another connection before the leases expire.
const pool = createPool(databaseUrl, 1, undefined, LEASE_MS / 2);
const renewal = new LeaseRenewal({
  renew: (items) => retryTransient(() => renewLeases(pool, workerId, items), AbortSignal.timeout(RENEW_EVERY_MS)),
  beats: () => Atomics.load(beats, 0),
  tell: (message) => parentPort!.postMessage(message),
});
const renew = (): void => void renewal.renew(performance.now());

parentPort!.on('message', (message: LeaseCommand) => renewal.take(message));
setInterval(renew, RENEW_EVERY_MS);
renew();
