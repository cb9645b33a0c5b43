import { inTransaction, type Pool } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import type { LeveledDelivery } from './dispatch-lane.js';

/** An item on which this many processes died settles as errored, so that its neighbours do not suffer. */
const MAX_CRASHES = 5;

/** Queue jobs normally start within milliseconds. Only an item unclaimed for longer is worth a look into the queue. */
const UNCLAIMED_MS = 2000;

export interface Reconciled {
  /** Deliveries to add to the queue: their old queue job is gone, or their process died (then with `lost`). */
  redeliver: (LeveledDelivery & { lost?: number })[];
  /** Claimed for `worker`, which settles them as errored (`crashed`). */
  poisoned: (LeveledDelivery & { crashes: number })[];
}

/**
 * The one cure for lost jobs, killed processes and a flushed Redis. In-flight rows whose queue job is gone, or whose
 * lease ran out, get a new token and are queued again; rows of runs that are not running are removed. A lost queue
 * job counts against no item. A lease that ran out counts only against an item that was worked on, and not against
 * those that the process held for later.
 *
 * @param mayJudge whether a lease that ran out means that its process died. It does not just after Postgres was out
 *   of reach, when nobody could renew a lease.
 * @param findMissing finds the deliveries that have no job in the queue; throws when the queue cannot be asked
 */
export async function reconcileLane(
  pool: Pool,
  laneId: string,
  worker: string,
  mayJudge: boolean,
  findMissing: (deliveries: LeveledDelivery[]) => Promise<LeveledDelivery[]>,
): Promise<Reconciled> {
  await pool.query(
    `DELETE FROM in_flight i WHERE ${LANE_OF_ITEM} = $1
       AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id AND r.status = 'running')`,
    [laneId],
  );
  const { rows: unclaimed } = await pool.query<LeveledDelivery>(
    `SELECT run_id AS "runId", target, item, token, worker_level AS level FROM in_flight i
     WHERE ${LANE_OF_ITEM} = $1 AND worker IS NULL AND queued_at < now() - $2 * interval '1 ms'
       AND worker_level <= level_of_session()`,
    [laneId, UNCLAIMED_MS],
  );
  const missing = unclaimed.length ? await findMissing(unclaimed) : [];
  return inTransaction(pool, async (client) => {
    const requeued = await client.query<LeveledDelivery>(
      `UPDATE in_flight i SET token = nextval('delivery_token'), queued_at = now()
       FROM unnest($2::bigint[]) AS u(token)
       WHERE ${LANE_OF_ITEM} = $1 AND i.token = u.token AND i.worker IS NULL
       RETURNING run_id AS "runId", target, item, i.token, worker_level AS level`,
      [laneId, missing.map(({ token }) => token)],
    );
    const expired = await client.query<LeveledDelivery & { crashes: number; lost: number }>(
      `UPDATE in_flight i SET token = nextval('delivery_token'), queued_at = now(), lost = lost + 1,
         crashes = crashes + begun::int, begun = false,
         worker = CASE WHEN crashes + begun::int >= $2 THEN $3 END,
         lease_until = CASE WHEN crashes + begun::int >= $2 THEN now() + interval '10 s' END
       WHERE ${LANE_OF_ITEM} = $1 AND lease_until < now() AND worker_level <= level_of_session() AND $4
       RETURNING run_id AS "runId", target, item, token, worker_level AS level, crashes, lost`,
      [laneId, MAX_CRASHES, worker, mayJudge],
    );
    return {
      redeliver: [...requeued.rows, ...expired.rows.filter(({ crashes }) => crashes < MAX_CRASHES)],
      poisoned: expired.rows.filter(({ crashes }) => crashes >= MAX_CRASHES),
    };
  });
}
