import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
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

/** A lane that has something to dispatch or in flight. */
export interface BusyLane extends LaneLimits {
  team_id: string;
  /** Whether there is something to dispatch. */
  waiting: boolean;
  /** Items queued or claimed. */
  in_flight: number;
  /** How many processes hold items of it. */
  workers: number;
  /** Whether the process that asks is one of them. */
  here: boolean;
}

/** @param worker who asks */
export async function busyLanes(pool: Pool, worker: string): Promise<BusyLane[]> {
  const { rows } = await pool.query<BusyLane>({
    name: 'busy_lanes',
    text: `WITH work AS (SELECT DISTINCT lane_id FROM target WHERE active),
      held AS (SELECT lane_id, worker, count(*)::int AS n FROM in_flight GROUP BY lane_id, worker),
      flight AS (SELECT lane_id, sum(n)::int AS n, count(worker)::int AS workers, coalesce(bool_or(worker = $1),
        false) AS here FROM held GROUP BY lane_id)
      SELECT l.id, l.name, l.team_id, l.requests_per_minute, l.tokens_per_minute, l.max_concurrency, l.paused_at,
        w.lane_id IS NOT NULL AS waiting, coalesce(f.n, 0) AS in_flight, coalesce(f.workers, 0) AS workers,
          coalesce(f.here, false) AS here
      FROM lane l LEFT JOIN work w ON w.lane_id = l.id LEFT JOIN flight f ON f.lane_id = l.id
      WHERE l.id IN (SELECT lane_id FROM work UNION ALL SELECT lane_id FROM flight)`,
    values: [worker],
  });
  return rows;
}

/**
 * Fills a lane's window: takes the next items of its targets, fairly between users and then between their runs, and
 * writes their in-flight rows. What it answers is to be added to the lane's queue after this commit; if that fails
 * or the process dies in between, the reconciler adds it.
 *
 * Targets that are taken from are locked, and looked at again: a cancel either comes first, then there is nothing
 * to take, or it waits, and then removes the rows inserted here. However many others the lane has, nobody who holds
 * them is waited for.
 *
 * @param window how many items of the lane may be in flight, queued or claimed
 */
export async function dispatchLane(pool: Pool, laneId: string, window: number): Promise<Delivery[]> {
  return inTransaction(pool, async (client) => {
    // One dispatcher per lane at a time, whatever the number of workers; it is released with the transaction.
    const lock = await client.query<{ mine: boolean }>({
      name: 'lock_dispatch',
      values: [laneId, LONGEST_LOCK],
      text: `SELECT pg_try_advisory_xact_lock(hashtext('dispatch'), hashtext($1)) AS mine,
        set_config('lock_timeout', $2, true)`,
    });
    if (!lock.rows[0]!.mine) return [];
    // In a statement of its own: it sees what whoever held the lock before has done.
    const lane = await client.query<{ n: number; vtime: number }>({
      name: 'lane_room',
      text: `SELECT (SELECT count(*)::int FROM in_flight WHERE lane_id = $1) AS n, (SELECT vtime FROM lane
        WHERE id = $1) AS vtime`,
      values: [laneId],
    });
    const { n, vtime } = lane.rows[0]!;
    const room = window - n;
    if (room <= 0) return [];
    const { rows: backlogs } = await client.query<Backlog & { queued: boolean; limited: boolean }>({
      name: 'lane_backlogs',
      // A target waits while an earlier one of its run at the same provider has items to dispatch (unless run in
      // parallel).
      text: `SELECT t.run_id AS "runId", t.ordinal AS target, t.user_id AS "userId", t.cursor, t.n, t.vtime,
         coalesce(u.vtime, 0) AS "userVtime",
         (SELECT count(*)::int FROM redo WHERE redo.run_id = t.run_id AND redo.target = t.ordinal) AS redo,
         r.status = 'queued' AS queued, r.max_requests IS NOT NULL OR r.max_cost_usd IS NOT NULL OR
           tm.monthly_cap_usd IS NOT NULL AS limited
       FROM target t JOIN run r ON r.id = t.run_id JOIN team tm ON tm.id = r.team_id LEFT
         JOIN lane_user u ON u.lane_id = t.lane_id AND u.user_id = t.user_id
       WHERE t.lane_id = $1 AND t.active AND (r.model_order <> 'sequential' OR NOT EXISTS (
         SELECT 1 FROM target e WHERE e.run_id = t.run_id AND e.provider_id = t.provider_id
           AND e.ordinal < t.ordinal AND e.active))
       ORDER BY t.run_id, t.ordinal`,
      values: [laneId],
    });
    if (backlogs.length === 0) return [];
    const limited = distinctRunIds(backlogs.filter((backlog) => backlog.limited));
    const budgets = limited.length ? await readBudgets(client, limited) : [];
    const allowed = new Map([...budgets].map(([runId, budget]) => [runId, itemsAllowed(budget)]));
    const shares = shareFairly(backlogs, room, allowed, vtime ?? 0);
    const taken = await holdTargets(client, laneId, shares.taken);
    if (taken.length === 0) return [];
    const deliveries = await takeItems(client, laneId, taken);
    await client.query({
      name: 'lane_served',
      text: `WITH served AS (UPDATE lane SET vtime = $2 WHERE id = $1)
       INSERT INTO lane_user (lane_id, user_id, vtime) SELECT $1, * FROM unnest($3::uuid[], $4::float8[])
       ON CONFLICT (lane_id, user_id) DO UPDATE SET vtime = excluded.vtime`,
      values: [laneId, shares.vtime, [...shares.users.keys()], [...shares.users.values()]],
    });
    const queued = distinctRunIds(
      backlogs.filter((backlog) => backlog.queued && taken.some(({ runId }) => runId === backlog.runId)),
    );
    if (queued.length) await start(client, queued);
    return deliveries;
  });
}

/** Whoever holds a target's row for longer makes nobody wait; there is a next turn. */
const LONGEST_LOCK = '2s';

/**
 * Those of the targets that are still to be dispatched in this lane, locked. Only a dispatcher of their lane moves
 * their cursors.
 */
async function holdTargets<Target extends { runId: string; target: number }>(
  client: PoolClient,
  laneId: string,
  targets: Target[],
): Promise<Target[]> {
  if (targets.length === 0) return [];
  const { rows } = await client.query<{ n: number }>({
    name: 'hold_targets',
    text: `SELECT u.n::int FROM unnest($2::uuid[], $3::int[]) WITH ORDINALITY AS u(run_id, ordinal, n)
      JOIN target t ON t.run_id = u.run_id AND t.ordinal = u.ordinal
     WHERE t.lane_id = $1 AND t.active ORDER BY t.run_id, t.ordinal FOR UPDATE OF t`,
    values: [laneId, targets.map(({ runId }) => runId), targets.map(({ target }) => target)],
  });
  return rows.map(({ n }) => targets[n - 1]!);
}

/** The runs of items, each once. */
export const distinctRunIds = (of: readonly { runId: string }[]): string[] => [
  ...new Set(of.map(({ runId }) => runId)),
];

async function start(client: PoolClient, runIds: string[]): Promise<void> {
  const { rows } = await client.query<{ job_id: string }>(
    `UPDATE run SET status = 'running', started_at = coalesce(started_at, now()) WHERE id = ANY($1)
      AND status = 'queued' RETURNING job_id`,
    [runIds],
  );
  await client.query(
    `UPDATE job SET status = 'running', started_at = coalesce(started_at, now()) WHERE id = ANY($1)
      AND status = 'queued'`,
    [rows.map((row) => row.job_id)],
  );
}

async function takeItems(
  client: PoolClient,
  laneId: string,
  taken: (Backlog & { count: number })[],
): Promise<Delivery[]> {
  const items: { runId: string; target: number; item: number }[] = [];
  for (const share of taken) {
    let fresh = share.count;
    if (share.redo > 0) {
      const { rows } = await client.query<{ item: number }>(
        `DELETE FROM redo WHERE (run_id, target, item) IN
           (SELECT run_id, target, item FROM redo WHERE run_id = $1 AND target = $2 ORDER BY item LIMIT $3)
             RETURNING item`,
        [share.runId, share.target, share.count],
      );
      fresh -= rows.length;
      items.push(...rows.map(({ item }) => ({ runId: share.runId, target: share.target, item })));
    }
    for (let i = 0; i < fresh; i++) items.push({ runId: share.runId, target: share.target, item: share.cursor + i });
    share.cursor += fresh;
  }
  const { rows } = await client.query<Delivery>({
    name: 'take_items',
    text: `WITH taken AS (
       UPDATE target t SET cursor = u.cursor, vtime = u.vtime, active = u.active
       FROM unnest($2::uuid[], $3::int[], $4::int[], $5::float8[], $6::bool[]) AS u(run_id, ordinal, cursor, vtime,
         active)
       WHERE t.run_id = u.run_id AND t.ordinal = u.ordinal)
     INSERT INTO in_flight (run_id, target, item, lane_id, token)
     SELECT u.run_id, u.target, u.item, $1, nextval('delivery_token')
       FROM unnest($7::uuid[], $8::int[], $9::int[]) AS u(run_id, target, item)
     RETURNING run_id AS "runId", target, item, token`,
    values: [
      laneId,
      taken.map((s) => s.runId),
      taken.map((s) => s.target),
      taken.map((s) => s.cursor),
      taken.map((s) => s.vtime),
      taken.map((s) => s.cursor < s.n || s.redo > s.count),
      items.map((i) => i.runId),
      items.map((i) => i.target),
      items.map((i) => i.item),
    ],
  });
  return rows;
}
