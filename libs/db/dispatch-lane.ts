import { inTransaction, type Pool, type PoolClient } from './pool.js';
import { itemsAllowed, readBudgets } from './run-budget.js';
import { shareFairly, type Backlog } from './share-fairly.js';

/** One queue job to be: an item, and the token that lets its delivery settle it. */
export interface Delivery {
  runId: string;
  target: number;
  item: number;
  token: number;
}

export interface LaneLimits {
  id: string;
  name: string;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrency: number;
  paused_at: Date | null;
}

/** Lanes that have something to dispatch or in flight, with their limits. */
export async function busyLanes(pool: Pool): Promise<LaneLimits[]> {
  const { rows } = await pool.query<LaneLimits>(
    `SELECT id, name, requests_per_minute, tokens_per_minute, max_concurrency, paused_at FROM lane
     WHERE id IN (SELECT lane_id FROM target WHERE active UNION SELECT lane_id FROM in_flight)`,
  );
  return rows;
}

/**
 * Fills a lane's window: takes the next items of its targets, fairly between users and then between their runs, and writes
 * their in-flight rows. What it answers is to be added to the lane's queue after this commit; if that fails or the process
 * dies in between, the reconciler adds it.
 *
 * Cursors are read FOR UPDATE and only of active targets: a cancel either comes first, then there is nothing to take, or it
 * waits, and then removes the rows inserted here.
 *
 * @param window how many items of the lane may be in flight, queued or claimed
 */
export async function dispatchLane(pool: Pool, laneId: string, window: number): Promise<Delivery[]> {
  return inTransaction(pool, async (client) => {
    // One dispatcher per lane at a time, whatever the number of workers; it is released with the transaction.
    const lock = await client.query<{ mine: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('dispatch'), hashtext($1)) AS mine`, [laneId]);
    if (!lock.rows[0]!.mine) return [];
    const used = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM in_flight WHERE lane_id = $1', [laneId]);
    const room = window - used.rows[0]!.n;
    if (room <= 0) return [];
    const { rows: backlogs } = await client.query<Backlog>(
      // A target waits while an earlier one of its run at the same provider has items to dispatch (unless run in parallel).
      `SELECT t.run_id AS "runId", t.ordinal AS target, t.user_id AS "userId", t.cursor, t.n, t.vtime,
         coalesce(u.vtime, 0) AS "userVtime",
         (SELECT count(*)::int FROM redo WHERE redo.run_id = t.run_id AND redo.target = t.ordinal) AS redo
       FROM target t LEFT JOIN lane_user u ON u.lane_id = t.lane_id AND u.user_id = t.user_id
       WHERE t.lane_id = $1 AND t.active AND NOT EXISTS (
         SELECT 1 FROM target e JOIN run r ON r.id = e.run_id
         WHERE e.run_id = t.run_id AND e.provider_id = t.provider_id AND e.ordinal < t.ordinal AND e.active
           AND r.config::jsonb ->> 'model_order' = 'sequential')
       ORDER BY t.run_id, t.ordinal FOR UPDATE OF t`,
      [laneId],
    );
    if (backlogs.length === 0) return [];
    const lane = await client.query<{ vtime: number }>('SELECT vtime FROM lane WHERE id = $1', [laneId]);
    const budgets = await readBudgets(client, [...new Set(backlogs.map((backlog) => backlog.runId))]);
    const allowed = new Map([...budgets].map(([runId, budget]) => [runId, itemsAllowed(budget)]));
    const shares = shareFairly(backlogs, room, allowed, lane.rows[0]?.vtime ?? 0);
    if (shares.taken.length === 0) return [];
    const deliveries = await takeItems(client, laneId, shares.taken);
    await client.query('UPDATE lane SET vtime = $2 WHERE id = $1', [laneId, shares.vtime]);
    await client.query(
      `INSERT INTO lane_user (lane_id, user_id, vtime) SELECT $1, * FROM unnest($2::uuid[], $3::float8[])
       ON CONFLICT (lane_id, user_id) DO UPDATE SET vtime = excluded.vtime`,
      [laneId, [...shares.users.keys()], [...shares.users.values()]],
    );
    const runs = [...new Set(shares.taken.map((share) => share.runId))];
    const started = await client.query<{ job_id: string }>(`UPDATE run SET status = 'running', started_at = coalesce(started_at, now()) WHERE id = ANY($1) AND status = 'queued' RETURNING job_id`, [runs]);
    if (started.rowCount) {
      await client.query(
        `UPDATE job SET status = 'running', started_at = coalesce(started_at, now()) WHERE id = ANY($1) AND status = 'queued'`,
        [started.rows.map((row) => row.job_id)],
      );
    }
    return deliveries;
  });
}

async function takeItems(client: PoolClient, laneId: string, taken: (Backlog & { count: number })[]): Promise<Delivery[]> {
  const items: { runId: string; target: number; item: number }[] = [];
  for (const share of taken) {
    let fresh = share.count;
    if (share.redo > 0) {
      const { rows } = await client.query<{ item: number }>(
        `DELETE FROM redo WHERE (run_id, target, item) IN
           (SELECT run_id, target, item FROM redo WHERE run_id = $1 AND target = $2 ORDER BY item LIMIT $3) RETURNING item`,
        [share.runId, share.target, share.count],
      );
      fresh -= rows.length;
      items.push(...rows.map(({ item }) => ({ runId: share.runId, target: share.target, item })));
    }
    for (let i = 0; i < fresh; i++) items.push({ runId: share.runId, target: share.target, item: share.cursor + i });
    share.cursor += fresh;
  }
  await client.query(
    `UPDATE target t SET cursor = u.cursor, vtime = u.vtime, active = u.active
     FROM unnest($1::uuid[], $2::int[], $3::int[], $4::float8[], $5::bool[]) AS u(run_id, ordinal, cursor, vtime, active)
     WHERE t.run_id = u.run_id AND t.ordinal = u.ordinal`,
    [taken.map((s) => s.runId), taken.map((s) => s.target), taken.map((s) => s.cursor), taken.map((s) => s.vtime),
      taken.map((s) => s.cursor < s.n || s.redo > s.count)],
  );
  const { rows } = await client.query<Delivery>(
    `INSERT INTO in_flight (run_id, target, item, lane_id, token)
     SELECT u.run_id, u.target, u.item, $1, nextval('delivery_token') FROM unnest($2::uuid[], $3::int[], $4::int[]) AS u(run_id, target, item)
     RETURNING run_id AS "runId", target, item, token`,
    [laneId, items.map((i) => i.runId), items.map((i) => i.target), items.map((i) => i.item)],
  );
  return rows;
}
