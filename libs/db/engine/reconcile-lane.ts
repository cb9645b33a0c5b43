import type { Delivery } from './dispatch-lane.js';
import { inTransaction, type Pool } from '../connection/pool.js';

/**
 * An item whose processes keep dying settles as errored after this many of them, so that its neighbours do not
 * suffer.
 */
const MAX_CRASHES = 5;

/** Queue jobs normally start within milliseconds; only an item unclaimed for longer is worth a look into the queue. */
const UNCLAIMED_MS = 2000;

export interface Reconciled {
  /** Deliveries to add to the queue: their old queue job is gone, or its process died (then with `lost`). */
  redeliver: (Delivery & { lost?: number })[];
  /** Claimed here for settling as errored (`crashed`). */
  poisoned: (Delivery & { crashes: number })[];
}

/**
 * The one cure for lost jobs, killed processes and a flushed Redis: in-flight rows whose queue job is gone, or
 * whose lease ran out, get a new token and are queued again; rows of runs that do not run are removed. A lost queue
 * job counts against no item, and a lease that ran out only against one that had begun: whatever else the process
 * held only waited.
 *
 * @param mayJudge whether a lease that ran out means that its process died. It does not just after Postgres was out
 *   of reach:
 *   nobody could renew theirs.
 * @param missing which of these deliveries have no job in the queue any more; throws when the queue cannot be asked
 */
export async function reconcileLane(
  pool: Pool,
  laneId: string,
  worker: string,
  mayJudge: boolean,
  missing: (deliveries: Delivery[]) => Promise<Delivery[]>,
): Promise<Reconciled> {
  await pool.query(
    `DELETE FROM in_flight i WHERE i.lane_id = $1 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id
      AND r.status = 'running')`,
    [laneId],
  );
  const { rows: unclaimed } = await pool.query<Delivery>(
    `SELECT run_id AS "runId", target, item, token FROM in_flight
     WHERE lane_id = $1 AND worker IS NULL AND queued_at < now() - $2 * interval '1 ms'`,
    [laneId, UNCLAIMED_MS],
  );
  const lost = unclaimed.length ? await missing(unclaimed) : [];
  return inTransaction(pool, async (client) => {
    const requeued = await client.query<Delivery>(
      `UPDATE in_flight i SET token = nextval('delivery_token'), queued_at = now()
       FROM unnest($2::bigint[]) AS u(token) WHERE i.lane_id = $1 AND i.token = u.token AND i.worker IS NULL
       RETURNING run_id AS "runId", target, item, i.token`,
      [laneId, lost.map((delivery) => delivery.token)],
    );
    const crashed = await client.query<Delivery & { crashes: number; lost: number }>(
      `UPDATE in_flight i SET token = nextval('delivery_token'), queued_at = now(), lost = lost + 1, crashes =
        crashes + begun::int, begun = false,
         worker = CASE WHEN crashes + begun::int >= $2 THEN $3 END,
         lease_until = CASE WHEN crashes + begun::int >= $2 THEN now() + interval '10 s' END
       WHERE lane_id = $1 AND lease_until < now() AND $4
       RETURNING run_id AS "runId", target, item, token, crashes, lost`,
      [laneId, MAX_CRASHES, worker, mayJudge],
    );
    return {
      redeliver: [...requeued.rows, ...crashed.rows.filter((row) => row.crashes < MAX_CRASHES)],
      poisoned: crashed.rows.filter((row) => row.crashes >= MAX_CRASHES),
    };
  });
}
