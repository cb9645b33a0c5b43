import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool } from '../connection/pool.js';
import { IS_RESTING } from '../rests.js';
import type { Delivery } from './dispatch-lane.js';

/** Lease of a claim without a heartbeat. When it expires, the items of a process that died are queued again. */
export const LEASE_MS = 10_000;

/** An item that was being worked on when this many processes died is played in a separate process. */
export const SUSPECT_CRASHES = 2;

export interface Claim {
  token: number;
  /** Number of processes that died or froze while they held the item. */
  lost: number;
  /** Number of those that were working on it. */
  crashes: number;
  /** The generation of its run; each resume increments it. */
  generation: number;
  /** How long the item was queued; null when it was handed back in between. */
  queuedForS: number | null;
  /** Whether its target must not be asked at the moment. */
  isUnaskable: boolean;
}

const DELIVERIES = new BatchColumns<Delivery>({
  run_id: ['uuid', (delivery) => delivery.runId],
  target: ['int', (delivery) => delivery.target],
  item: ['int', (delivery) => delivery.item],
  token: ['bigint', (delivery) => delivery.token],
});
/** The in-flight row `i` belongs to the delivery `u`. */
const SAME_DELIVERY = 'i.run_id = u.run_id AND i.target = u.target AND i.item = u.item AND i.token = u.token';
/** The in-flight row `i` is the locked one, `held`. */
const IS_HELD = 'i.run_id = held.run_id AND i.target = held.target AND i.item = held.item';
/** SQL: locks the deliveries among these that worker $1 holds, in the order of all transactions (`lockUser`). */
const lockHeld = (first: number): string =>
  `SELECT i.run_id, i.target, i.item, u.n FROM ${DELIVERIES.unnest(first, 'n')}
     JOIN in_flight i ON ${SAME_DELIVERY} AND i.worker = $1
   ORDER BY i.run_id, i.target, i.item FOR NO KEY UPDATE OF i`;

/**
 * Claims queued items for a worker, without waiting for locks: a locked row of a queued item is being taken away (a
 * cancel), given another delivery (the reconciler, a provider that moves), or claimed. If that process dies before its
 * commit the item has no queue job, which the reconciler detects within `UNCLAIMED_MS` of its delivery.
 * @returns the claims it got. An item is missing when its run was cancelled, when it is settled or has a newer
 *   delivery, when another worker holds it under a running lease, and when its row is locked; drop its queue job.
 */
export async function claimItems(pool: Pool, worker: string, deliveries: readonly Delivery[]): Promise<Claim[]> {
  const { rows } = await pool.query<Claim>({
    name: 'claim_items',
    text: `WITH held AS (
        SELECT i.run_id, i.target, i.item FROM ${DELIVERIES.unnest(3)} JOIN in_flight i ON ${SAME_DELIVERY}
        WHERE i.worker IS NULL AND i.worker_level <= level_of_session() FOR NO KEY UPDATE OF i SKIP LOCKED
      )
      UPDATE in_flight i SET worker = $1, lease_until = now() + $2 * interval '1 ms', begun = false
      FROM held, run r WHERE ${IS_HELD} AND r.id = i.run_id AND r.status = 'running'
      RETURNING i.token, i.lost, i.crashes, r.generation,
        CASE WHEN isfinite(i.queued_at) THEN greatest(0, extract(epoch FROM now() - i.queued_at)::float8) END
          AS "queuedForS",
        EXISTS (SELECT 1 FROM target t WHERE t.run_id = i.run_id AND t.ordinal = i.target
          AND (t.unasked_why IS NOT NULL OR ${IS_RESTING})) AS "isUnaskable"`,
    values: [worker, LEASE_MS, ...DELIVERIES.values(deliveries)],
  });
  return rows;
}

/** An item that a worker holds, and whether it is being worked on or still waits for its turn. */
export interface LeasedItem extends Delivery {
  begun: boolean;
}

/**
 * Heartbeat: renews the leases of a worker's items, and records which of them are being worked on.
 * @returns the tokens that the worker still holds; the other items are settled, stopped or delivered to others
 */
export async function renewLeases(pool: Pool, worker: string, items: readonly LeasedItem[]): Promise<number[]> {
  const { rows } = await pool.query<{ token: number }>(
    `WITH held AS (${lockHeld(3)})
     UPDATE in_flight i SET lease_until = now() + ${LEASE_MS} * interval '1 ms', begun = ($2::bool[])[held.n]
     FROM held WHERE ${IS_HELD} RETURNING i.token`,
    [worker, items.map(({ begun }) => begun), ...DELIVERIES.values(items)],
  );
  return rows.map(({ token }) => token);
}

/** Hands items back at shutdown. The reconciler queues them again at once, without counting a crash. */
export async function releaseItems(pool: Pool, worker: string, deliveries: readonly Delivery[]): Promise<void> {
  await pool.query(
    `WITH held AS (${lockHeld(2)})
     UPDATE in_flight i SET worker = NULL, lease_until = NULL, queued_at = '-infinity' FROM held
     WHERE ${IS_HELD}`,
    [worker, ...DELIVERIES.values(deliveries)],
  );
}

/** Which of these runs are no longer running: cancelled, stopped or deleted. */
export async function stoppedRuns(pool: Pool, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT u.id FROM unnest($1::uuid[]) AS u(id) LEFT JOIN run r ON r.id = u.id
     WHERE r.status IS DISTINCT FROM 'running'`,
    [runIds],
  );
  return rows.map((row) => row.id);
}
