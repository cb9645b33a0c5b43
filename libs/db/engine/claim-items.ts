import type { Delivery } from './dispatch-lane.js';
import type { Pool } from '../connection/pool.js';

/** A claim lasts this long without a heartbeat; a process that dies gives its items back after it. */
export const LEASE_MS = 10_000;

/** From so many processes on that died while they worked on it, an item is played in a process of its own. */
export const SUSPECT_CRASHES = 2;

export interface Claim {
  token: number;
  /** How many processes died or froze while they held this item, and how many of them while it was worked on. */
  lost: number;
  crashes: number;
  /** Of the run; a resume makes the next. */
  generation: number;
  /** How long it was queued; null when it was handed back meanwhile. */
  queuedForS: number | null;
}

const keys = (deliveries: readonly Delivery[]) =>
  [
    deliveries.map((d) => d.runId),
    deliveries.map((d) => d.target),
    deliveries.map((d) => d.item),
    deliveries.map((d) => d.token),
  ] as const;

/**
 * Claims queued items for a worker. Answers those it got: an item whose run was cancelled, that is settled, that
 * has a newer delivery, or that another worker holds under a running lease is not among them, and its queue job is
 * to be dropped.
 */
export async function claimItems(pool: Pool, worker: string, deliveries: readonly Delivery[]): Promise<Claim[]> {
  const { rows } = await pool.query<Claim>({
    name: 'claim_items',
    text: `UPDATE in_flight i SET worker = $1, lease_until = now() + $6 * interval '1 ms', begun = false
      FROM unnest($2::uuid[], $3::int[], $4::int[], $5::bigint[]) AS u(run_id, target, item, token), run r
      WHERE i.run_id = u.run_id AND i.target = u.target AND i.item = u.item AND i.token = u.token
        AND r.id = i.run_id AND r.status = 'running' AND i.worker IS NULL
      RETURNING i.token, i.lost, i.crashes, r.generation, CASE WHEN isfinite(i.queued_at) THEN greatest(0,
        extract(epoch FROM now() - i.queued_at)::float8) END AS "queuedForS"`,
    values: [worker, ...keys(deliveries), LEASE_MS],
  });
  return rows;
}

/** An item that a worker holds, and whether it is worked on: not while it only waits for its turn. */
export interface LeasedItem extends Delivery {
  begun: boolean;
}

/**
 * Heartbeat: keeps the leases of what a worker holds, and notes what is worked on.
 * @returns the tokens of what it still holds: the rest is settled, was stopped, or was delivered to others
 */
export async function renewLeases(pool: Pool, worker: string, held: readonly LeasedItem[]): Promise<number[]> {
  const { rows } = await pool.query<{ token: number }>(
    `UPDATE in_flight i SET lease_until = now() + $6 * interval '1 ms', begun = u.begun
     FROM unnest($2::uuid[], $3::int[], $4::int[], $5::bigint[], $7::bool[]) AS u(run_id, target, item, token, begun)
     WHERE i.run_id = u.run_id AND i.target = u.target AND i.item = u.item AND i.token = u.token AND i.worker = $1
     RETURNING i.token`,
    [worker, ...keys(held), LEASE_MS, held.map(({ begun }) => begun)],
  );
  return rows.map(({ token }) => token);
}

/** Hands items back at shutdown; the reconciler queues them again at once, and it counts as no crash. */
export async function releaseItems(pool: Pool, worker: string, deliveries: readonly Delivery[]): Promise<void> {
  await pool.query(
    `UPDATE in_flight i SET worker = NULL, lease_until = NULL, queued_at = '-infinity'
     FROM unnest($2::uuid[], $3::int[], $4::int[], $5::bigint[]) AS u(run_id, target, item, token)
     WHERE i.run_id = u.run_id AND i.target = u.target AND i.item = u.item AND i.token = u.token AND i.worker = $1`,
    [worker, ...keys(deliveries)],
  );
}

/** Which of these runs must not go on. */
export async function stoppedRuns(pool: Pool, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT u.id FROM unnest($1::uuid[]) AS u(id) LEFT JOIN run r ON r.id = u.id WHERE r.status IS DISTINCT
      FROM 'running'`,
    [runIds],
  );
  return rows.map((row) => row.id);
}
