import type { Pool, PoolClient } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { HAS_BUDGET, itemsAllowed, readBudgets } from './run-budget.js';

/**
 * SQL: the target `t` of the run `r`, with a rest `s` of its model if there is one, has items that may be dispatched
 * now. Not those whose models rest, or are being probed after a rest. A target waits for earlier ones of its run at the
 * same provider that still have items, unless those rest or the run asks its models in parallel.
 */
export const IS_READY = `t.active_for IS NOT NULL
  AND (s.why IS NULL OR s.until <= now() OR (s.until IS NULL AND NOT EXISTS (
    SELECT 1 FROM in_flight i JOIN target tried ON tried.run_id = i.run_id AND tried.ordinal = i.target
    WHERE ${LANE_OF_ITEM} = t.lane_id AND tried.provider_id = t.provider_id AND tried.model_id = t.model_id)))
  AND (r.model_order <> 'sequential' OR NOT EXISTS (
    SELECT 1 FROM target earlier
    WHERE earlier.run_id = t.run_id AND earlier.provider_id = t.provider_id AND earlier.ordinal < t.ordinal
      AND earlier.active_for IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM resting_model e WHERE e.provider_id = earlier.provider_id AND e.model_id = earlier.model_id
          AND e.until > now())))`;

/** SQL: how many items below its cursor the target `t` has to repeat, in a resumed run. */
export const REDO_ITEMS = `(SELECT count(*)::int FROM redo WHERE redo.run_id = t.run_id AND redo.target = t.ordinal)`;

/** SQL: one item probes a model that has rested (`s`); null: no bound. */
export const MOST_ITEMS = `CASE WHEN s.until IS NOT NULL THEN 1 END`;

/** How many items the budgeted accounts may still dispatch: as many as each of their runs may. */
export async function roomOfBudgets(
  client: Pool | PoolClient,
  backlogs: readonly { runId: string; accountId: string; limited: boolean }[],
): Promise<Map<string, number>> {
  const limited = new Map(backlogs.filter((one) => one.limited).map(({ runId, accountId }) => [runId, accountId]));
  const room = new Map<string, number>();
  if (limited.size === 0) return room;
  for (const [runId, budget] of await readBudgets(client, [...limited.keys()])) {
    const accountId = limited.get(runId)!;
    room.set(accountId, Math.min(room.get(accountId) ?? Infinity, itemsAllowed(budget)));
  }
  return room;
}

/** The ready items of a lane: those of an account with a budget apart, and all others together. */
interface ReadyPart {
  laneId: string;
  items: number;
  /** Null for the runs without a budget. */
  runId: string | null;
  accountId: string | null;
}

/**
 * How many items of each lane may be dispatched now, by workers of any level. An account with a budget has no more than
 * that allows, in each of its lanes.
 */
export async function readReadyItems(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<ReadyPart>({
    name: 'ready_items',
    text: `SELECT "laneId", account AS "accountId", min(run_id::text) AS "runId", sum(items)::int AS items FROM (
        SELECT t.lane_id AS "laneId", t.run_id, CASE WHEN ${HAS_BUDGET} THEN coalesce(r.orchestration_id, r.id) END AS
          account, least(t.n - t.cursor + ${REDO_ITEMS}, ${MOST_ITEMS}) AS items
        FROM target t JOIN run r ON r.id = t.run_id JOIN team tm ON tm.id = r.team_id
          LEFT JOIN orchestration o ON o.id = r.orchestration_id
          LEFT JOIN resting_model s ON s.provider_id = t.provider_id AND s.model_id = t.model_id
        WHERE r.status IN ('queued', 'running') AND ${IS_READY}
      ) ready GROUP BY "laneId", account`,
  });
  const limited = rows.flatMap(({ runId, accountId }) =>
    runId && accountId ? [{ runId, accountId, limited: true }] : [],
  );
  const room = await roomOfBudgets(pool, limited);
  const items = new Map<string, number>();
  for (const part of rows) {
    const most = part.accountId === null ? Infinity : (room.get(part.accountId) ?? Infinity);
    items.set(part.laneId, (items.get(part.laneId) ?? 0) + Math.min(part.items, most));
  }
  return items;
}
