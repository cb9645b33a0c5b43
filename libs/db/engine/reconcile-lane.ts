import type { Pool } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import type { LeveledDelivery } from './dispatch-lane.js';

/** An item that this many processes died on settles as errored, so that it does not affect its neighbours. */
const MAX_CRASHES = 5;

/** SQL: the lock order of `lockUser`. */
const IN_ORDER = 'ORDER BY run_id, target, item';

/**
 * Queue jobs normally start within milliseconds. The queue is only checked for items unclaimed for longer than this.
 */
const UNCLAIMED_MS = 2000;

export interface Reconciled {
  /** Deliveries to add to the queue: their old queue job is gone, or their process died (then with `lost`). */
  redeliver: (LeveledDelivery & { lost?: number })[];
  /** Claimed for `worker`, which settles them as errored (`crashed`). */
  poisoned: (LeveledDelivery & { crashes: number })[];
}

/**
 * The single recovery path for lost jobs, killed processes and a flushed Redis. In-flight rows whose queue job is gone,
 * or whose lease expired, get a new token and are queued again; rows of runs that are not running are removed. A lost
 * queue job does not count against its item. An expired lease only counts against an item that was being worked on, not
 * against items that the process held for later.
 *
 * @param mayJudge whether an expired lease means that its process died. It does not just after Postgres was
 *   unreachable, when no lease could be renewed.
 * @param findLost finds the deliveries without a queue job, or whose queue job is held by a worker that cannot claim
 *   them; throws when the queue cannot be queried
 */
export async function reconcileLane(
  pool: Pool,
  laneId: string,
  worker: string,
  mayJudge: boolean,
  findLost: (deliveries: LeveledDelivery[]) => Promise<LeveledDelivery[]>,
): Promise<Reconciled> {
  await pool.query(
    `DELETE FROM in_flight WHERE (run_id, target, item) IN (
       SELECT run_id, target, item FROM in_flight i WHERE ${LANE_OF_ITEM} = $1
         AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id AND r.status = 'running')
       ${IN_ORDER} FOR UPDATE
     )`,
    [laneId],
  );
  const { rows: unclaimed } = await pool.query<LeveledDelivery>(
    `SELECT run_id AS "runId", target, item, token, worker_level AS level FROM in_flight i
     WHERE ${LANE_OF_ITEM} = $1 AND worker IS NULL AND queued_at < now() - $2 * interval '1 ms'
       AND worker_level <= (SELECT level_of_session())`,
    [laneId, UNCLAIMED_MS],
  );
  const missing = unclaimed.length ? await findLost(unclaimed) : [];
  const { rows } = await pool.query<LeveledDelivery & { crashes: number; lost: number; expired: boolean }>(
    `WITH held AS (
       SELECT run_id, target, item, worker IS NOT NULL AS expired FROM in_flight i
       WHERE ${LANE_OF_ITEM} = $1 AND ((worker IS NULL AND token = ANY ($2))
         OR ($5 AND lease_until < now() AND worker_level <= (SELECT level_of_session())))
       ${IN_ORDER} FOR NO KEY UPDATE
     )
     UPDATE in_flight i SET token = nextval('delivery_token'), queued_at = now(), lost = lost + expired::int,
       crashes = crashes + (expired AND begun)::int, begun = begun AND NOT expired,
       worker = CASE WHEN expired AND crashes + begun::int >= $3 THEN $4 END,
       lease_until = CASE WHEN expired AND crashes + begun::int >= $3 THEN now() + interval '10 s' END
     FROM held WHERE i.run_id = held.run_id AND i.target = held.target AND i.item = held.item
     RETURNING i.run_id AS "runId", i.target, i.item, token, worker_level AS level, crashes, lost, expired`,
    [laneId, missing.map(({ token }) => token), MAX_CRASHES, worker, mayJudge],
  );
  const expired = rows.filter((row) => row.expired).map(({ expired: _, ...delivery }) => delivery);
  const requeued = rows.filter((row) => !row.expired).map(({ expired: _, crashes: _c, lost: _l, ...one }) => one);
  return {
    redeliver: [...requeued, ...expired.filter(({ crashes }) => crashes < MAX_CRASHES)],
    poisoned: expired.filter(({ crashes }) => crashes >= MAX_CRASHES),
  };
}
