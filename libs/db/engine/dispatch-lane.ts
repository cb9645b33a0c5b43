import { FIRST_WORKER_LEVEL } from '#lib/contracts/worker-level';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { IS_READY, MOST_ITEMS, REDO_ITEMS, roomOfBudgets } from './ready-items.js';
import { HAS_BUDGET } from './run-budget.js';
import { shareFairly, type Backlog } from './share-fairly.js';

/** One queue job of an item, and the token that lets this delivery settle the item. */
export interface Delivery {
  runId: string;
  target: number;
  item: number;
  token: number;
}

/** A delivery and the level that a worker needs for it: each level has its own queue in a lane. */
export interface LeveledDelivery extends Delivery {
  level: number;
}

/**
 * Fills a lane's window: takes the next items of its targets, fairly between users and then between their runs, and
 * writes their in-flight rows.
 *
 * Lifecycle of an item: at first it is only a number below its target's `n`, without a row. Dispatch moves the target's
 * cursor past it (or deletes its `redo` row, in a resumed run) and writes its in-flight row, which exists from here
 * until the item ends. The caller adds a queue job for the row after this commit; if that fails, or the process dies in
 * between, the reconciler adds it (`reconcileLane`). A worker that receives the queue job claims the row for as long as
 * it renews the lease (`claimItems`). Settling deletes the row and stores the result in one transaction
 * (`settleItems`); a cancel deletes the row and stores nothing. An expired lease sends the item back to the queue under
 * a new token, so that the holder of the old one can no longer settle it.
 *
 * Targets from which items are taken are locked, then read again. Either a cancel comes first, and nothing is taken; or
 * it waits, and then removes the rows inserted here. The other targets are not locked, so nothing waits for their
 * locks.
 *
 * @param window how many items of the lane may be in flight, queued or claimed
 */
export async function dispatchLane(pool: Pool, laneId: string, window: number): Promise<LeveledDelivery[]> {
  return inTransaction(pool, async (client) => {
    if (!(await lockDispatch(client, laneId))) return [];
    const { inFlight, vtime } = await readLane(client, laneId);
    const room = window - inFlight;
    if (room <= 0) return [];
    const backlogs = await readBacklogs(client, laneId);
    if (backlogs.length === 0) return [];
    const shares = shareFairly(backlogs, room, await roomOfBudgets(client, backlogs), vtime);
    const taken = await lockActiveTargets(client, laneId, oneOfEachRest(shares.taken));
    if (taken.length === 0) return [];
    const deliveries = await takeItems(client, laneId, taken);
    await startRuns(client, distinctRunIds(taken.filter(({ queued }) => queued)));
    await storeVirtualTimes(client, laneId, shares);
    await endRests(client, taken);
    return deliveries;
  });
}

/** Give up on a locked target row after this long; the next turn retries. */
const LOCK_TIMEOUT = '2s';

/** Only one process at a time dispatches a lane, however many workers there are. The lock ends with the transaction. */
async function lockDispatch(client: PoolClient, laneId: string): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>({
    name: 'lock_dispatch',
    text: `SELECT pg_try_advisory_xact_lock(hashtext('dispatch'), hashtext($1)) AS mine,
      set_config('lock_timeout', $2, true)`,
    values: [laneId, LOCK_TIMEOUT],
  });
  return rows[0]!.mine;
}

/** A separate statement after the lock's, so that it sees the changes of the previous holder. */
async function readLane(client: PoolClient, laneId: string): Promise<{ inFlight: number; vtime: number }> {
  const { rows } = await client.query<{ inFlight: number; vtime: number }>({
    name: 'lane_room',
    text: `SELECT (
        SELECT count(*)::int FROM in_flight i WHERE ${LANE_OF_ITEM} = $1
          AND i.worker_level <= (SELECT level_of_session())
      ) AS "inFlight",
      coalesce((SELECT vtime FROM lane WHERE id = $1), 0) AS vtime`,
    values: [laneId],
  });
  return rows[0]!;
}

interface LaneBacklog extends Backlog {
  /** The level that a worker needs to play it. */
  level: number;
  /** Whether its run is still waiting for its first item. */
  queued: boolean;
  /** Whether its run has a budget, or its team a monthly cap. */
  limited: boolean;
  providerId: string;
  modelId: string;
  /**
   * `due`: its model has rested, and one item probes whether it may be asked again. `over`: that item has ended without
   * another rest. Null: its model is not resting.
   */
  rest: 'due' | 'over' | null;
}

async function readBacklogs(client: PoolClient, laneId: string): Promise<LaneBacklog[]> {
  const { rows } = await client.query<LaneBacklog>({
    name: 'lane_backlogs',
    text: `SELECT t.run_id AS "runId", coalesce(r.orchestration_id, r.id) AS "accountId",
        t.ordinal AS target, t.user_id AS "userId", t.cursor, t.n, t.vtime, t.active_for AS level,
        coalesce(u.vtime, 0) AS "userVtime",
        ${REDO_ITEMS} AS redo,
        r.status = 'queued' AS queued,
        ${HAS_BUDGET} AS limited, t.provider_id AS "providerId", t.model_id AS "modelId",
        CASE WHEN s.until IS NOT NULL THEN 'due' WHEN s.why IS NOT NULL THEN 'over' END AS rest,
        ${MOST_ITEMS} AS most
      FROM target t JOIN run r ON r.id = t.run_id JOIN team tm ON tm.id = r.team_id
        LEFT JOIN orchestration o ON o.id = r.orchestration_id
        LEFT JOIN lane_user u ON u.lane_id = t.lane_id AND u.user_id = t.user_id
        LEFT JOIN resting_model s ON s.provider_id = t.provider_id AND s.model_id = t.model_id
      WHERE t.lane_id = $1 AND t.active_for <= (SELECT level_of_session()) AND ${IS_READY}
      ORDER BY t.run_id, t.ordinal`,
    values: [laneId],
  });
  return rows;
}

/** The first target of each model that is due for a probe after its rest. */
function oneOfEachRest<Target extends LaneBacklog>(targets: Target[]): Target[] {
  const seen = new Set<string>();
  return targets.filter(({ rest, providerId, modelId }) => {
    const model = `${providerId} ${modelId}`;
    return rest !== 'due' || (!seen.has(model) && seen.add(model));
  });
}

const RESTED = new BatchColumns<LaneBacklog>({
  provider_id: ['uuid', ({ providerId }) => providerId],
  model_id: ['text', ({ modelId }) => modelId],
});

/** Records which models are probed after their rest, and removes the rests that are over. */
async function endRests(client: PoolClient, taken: readonly LaneBacklog[]): Promise<void> {
  const due = taken.filter(({ rest }) => rest === 'due');
  const over = taken.filter(({ rest }) => rest === 'over');
  if (due.length > 0)
    await client.query(
      `UPDATE resting_model s SET until = NULL FROM ${RESTED.unnest(1)}
       WHERE s.provider_id = u.provider_id AND s.model_id = u.model_id AND s.until <= now()`,
      RESTED.values(due),
    );
  if (over.length > 0)
    await client.query(
      `DELETE FROM resting_model s USING ${RESTED.unnest(1)}
       WHERE s.provider_id = u.provider_id AND s.model_id = u.model_id AND s.until IS NULL`,
      RESTED.values(over),
    );
}

const TARGETS = new BatchColumns<{ runId: string; target: number }>({
  run_id: ['uuid', ({ runId }) => runId],
  ordinal: ['int', ({ target }) => target],
});

/** Locks those of the targets that still have items for this lane. Only a dispatcher of the lane moves a cursor. */
async function lockActiveTargets<Target extends { runId: string; target: number }>(
  client: PoolClient,
  laneId: string,
  targets: Target[],
): Promise<Target[]> {
  if (targets.length === 0) return [];
  const { rows } = await client.query<{ n: number }>({
    name: 'hold_targets',
    text: `SELECT u.n::int FROM ${TARGETS.unnest(2, 'n')}
      JOIN target t ON t.run_id = u.run_id AND t.ordinal = u.ordinal
      WHERE t.lane_id = $1 AND t.active_for <= (SELECT level_of_session())
      ORDER BY t.run_id, t.ordinal FOR NO KEY UPDATE OF t`,
    values: [laneId, ...TARGETS.values(targets)],
  });
  return rows.map(({ n }) => targets[n - 1]!);
}

/** The distinct runs of items or targets. */
export const distinctRunIds = (of: readonly { runId: string }[]): string[] => [
  ...new Set(of.map(({ runId }) => runId)),
];

type Item = Omit<LeveledDelivery, 'token'>;
type Share = LaneBacklog & { count: number };

const MOVED_TARGETS = new BatchColumns<Share>({
  run_id: ['uuid', (share) => share.runId],
  ordinal: ['int', (share) => share.target],
  cursor: ['int', (share) => share.cursor],
  vtime: ['float8', (share) => share.vtime],
  has_more: ['bool', (share) => share.cursor < share.n],
});
const ITEMS = new BatchColumns<Item>({
  run_id: ['uuid', ({ runId }) => runId],
  target: ['int', ({ target }) => target],
  item: ['int', ({ item }) => item],
  level: ['int', ({ level }) => level],
});
const FIRST_ITEM_PARAMETER = 7;

/** Moves the targets past the items they were granted, and puts those items in flight. */
async function takeItems(client: PoolClient, laneId: string, taken: readonly Share[]): Promise<LeveledDelivery[]> {
  const items: Item[] = [];
  const moved: Share[] = [];
  for (const share of taken) {
    const redone = share.redo > 0 ? await takeRedo(client, share) : [];
    const fresh = share.count - redone.length;
    const next = Array.from({ length: fresh }, (_, n) => share.cursor + n);
    const { runId, target, level } = share;
    items.push(...[...redone, ...next].map((item) => ({ runId, target, item, level })));
    moved.push({ ...share, cursor: share.cursor + fresh });
  }
  const { rows } = await client.query<LeveledDelivery>({
    name: 'take_items',
    // Items may have been given up since the backlog was read.
    text: `WITH moved AS (
        UPDATE target t SET cursor = u.cursor, vtime = u.vtime, active = u.has_more OR EXISTS (
          SELECT 1 FROM redo WHERE redo.run_id = t.run_id AND redo.target = t.ordinal
        )
        FROM ${MOVED_TARGETS.unnest(2)} WHERE t.run_id = u.run_id AND t.ordinal = u.ordinal
      )
      INSERT INTO in_flight (run_id, target, item, worker_level, lane_id, hidden_lane_id, token)
      SELECT u.run_id, u.target, u.item, u.level, CASE WHEN u.level = ${FIRST_WORKER_LEVEL} THEN $1::uuid END,
        CASE WHEN u.level > ${FIRST_WORKER_LEVEL} THEN $1::uuid END, nextval('delivery_token')
      FROM ${ITEMS.unnest(FIRST_ITEM_PARAMETER)}
      RETURNING run_id AS "runId", target, item, token, worker_level AS level`,
    values: [laneId, ...MOVED_TARGETS.values(moved), ...ITEMS.values(items)],
  });
  return rows;
}

/** Items of a resumed run below the cursor go first. */
async function takeRedo(client: PoolClient, { runId, target, count }: Share): Promise<number[]> {
  const { rows } = await client.query<{ item: number }>(
    `DELETE FROM redo WHERE (run_id, target, item) IN (
       SELECT run_id, target, item FROM redo WHERE run_id = $1 AND target = $2 ORDER BY item LIMIT $3
     ) RETURNING item`,
    [runId, target, count],
  );
  return rows.map(({ item }) => item);
}

async function storeVirtualTimes(
  client: PoolClient,
  laneId: string,
  { vtime, users }: { vtime: number; users: Map<string, number> },
): Promise<void> {
  await client.query({
    name: 'lane_served',
    text: `WITH served AS (UPDATE lane SET vtime = $2 WHERE id = $1)
      INSERT INTO lane_user (lane_id, user_id, vtime) SELECT $1, * FROM unnest($3::uuid[], $4::float8[])
      ON CONFLICT (lane_id, user_id) DO UPDATE SET vtime = excluded.vtime`,
    values: [laneId, vtime, [...users.keys()], [...users.values()]],
  });
}

/** Marks queued runs and their jobs as running, from their first item. */
async function startRuns(client: PoolClient, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return;
  const { rows } = await client.query<{ job_id: string }>(
    `UPDATE run SET status = 'running', started_at = coalesce(started_at, now())
     WHERE id IN (SELECT id FROM run WHERE id = ANY ($1) AND status = 'queued' ORDER BY id FOR NO KEY UPDATE)
     RETURNING job_id`,
    [runIds],
  );
  await client.query(
    `UPDATE job SET status = 'running', started_at = coalesce(started_at, now())
     WHERE id IN (SELECT id FROM job WHERE id = ANY ($1) AND status = 'queued' ORDER BY id FOR NO KEY UPDATE)`,
    [rows.map((row) => row.job_id)],
  );
}
