import type pg from 'pg';
import { WAITING_FOR } from '#lib/contracts/values/jobs';
import type { PoolClient } from '../connection/pool.js';
import { SUSPECT_CRASHES } from './claim-items.js';

/** What moved with a provider: the lanes that have new work, and the jobs whose wait reason was cleared. */
export interface MovedTargets {
  lanes: string[];
  jobs: string[];
}

/**
 * Locks providers against changes until the transaction ends, so that a change of one sees the targets that this
 * transaction creates. Lock them after the user and before targets.
 * @param ids SQL of their ids
 */
export async function lockProviders(client: PoolClient, ids: string, values: unknown[]): Promise<void> {
  await client.query(`SELECT 1 FROM provider WHERE id = ANY (${ids}) ORDER BY id FOR SHARE`, values);
}

/**
 * Locks a provider for a change, and before it the users of its team: ending a job starts others, and locks their
 * targets in the order in which they were submitted, not in the order of their keys.
 * @returns undefined when the team has no such provider
 */
export async function lockProvider<Row extends pg.QueryResultRow>(
  client: PoolClient,
  { teamId, key }: { teamId: string; key: string },
): Promise<Row | undefined> {
  await client.query('SELECT 1 FROM users WHERE team_id = $1 ORDER BY id FOR NO KEY UPDATE', [teamId]);
  const { rows } = await client.query<Row>('SELECT * FROM provider WHERE team_id = $1 AND key = $2 FOR UPDATE', [
    teamId,
    key,
  ]);
  return rows[0];
}

/**
 * Moves the unfinished targets of a provider to its new lane. Waiting items move with them, under new tokens, and are
 * queued there again. An item that a process has claimed stays claimed, since its request may be under way; its next
 * request uses the new lane, too. The same holds for a row that is being claimed at this moment, so this does not wait
 * for locked rows (`SKIP LOCKED`).
 */
export async function moveTargets(client: PoolClient, providerId: string): Promise<MovedTargets> {
  const { rows: targets } = await client.query<{ run_id: string; ordinal: number; lane_id: string }>(
    `SELECT t.run_id, t.ordinal, coalesce(m.lane_id, p.lane_id) AS lane_id
     FROM target t JOIN provider p ON p.id = t.provider_id
       LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = t.model_id
     WHERE t.provider_id = $1 AND t.finished_at IS NULL AND t.lane_id <> coalesce(m.lane_id, p.lane_id)
     ORDER BY t.run_id, t.ordinal FOR NO KEY UPDATE OF t`,
    [providerId],
  );
  if (targets.length === 0) return { lanes: [], jobs: [] };
  const runIds = targets.map((target) => target.run_id);
  const moved = [runIds, targets.map((target) => target.ordinal), targets.map((target) => target.lane_id)];
  await client.query(
    `UPDATE target t SET lane_id = u.lane, vtime = 0
     FROM unnest($1::uuid[], $2::int[], $3::uuid[]) AS u(run_id, ordinal, lane)
     WHERE t.run_id = u.run_id AND t.ordinal = u.ordinal`,
    moved,
  );
  const { rows: jobs } = await client.query<{ id: string }>(
    `UPDATE job SET detail = NULL WHERE id IN (
       SELECT id FROM job WHERE id IN (SELECT job_id FROM run WHERE id = ANY ($1)) AND starts_with(detail, $2)
       ORDER BY id FOR NO KEY UPDATE
     ) RETURNING id`,
    [runIds, WAITING_FOR],
  );
  await moveItems(client, moved);
  return { lanes: [...new Set(targets.map((target) => target.lane_id))], jobs: jobs.map((job) => job.id) };
}

/** @param moved run ids, ordinals and lane ids of the moved targets */
async function moveItems(client: PoolClient, moved: unknown[][]): Promise<void> {
  await client.query(
    `WITH held AS (
       SELECT i.run_id, i.target, i.item, u.lane, i.worker IS NULL OR (i.crashes >= $4 AND NOT i.begun) AS waits
       FROM in_flight i JOIN unnest($1::uuid[], $2::int[], $3::uuid[]) AS u(run_id, ordinal, lane)
         ON i.run_id = u.run_id AND i.target = u.ordinal
       FOR NO KEY UPDATE OF i SKIP LOCKED
     )
     UPDATE in_flight i SET lane_id = h.lane,
       token = CASE WHEN h.waits THEN nextval('delivery_token') ELSE i.token END,
       queued_at = CASE WHEN h.waits THEN '-infinity' ELSE i.queued_at END,
       worker = CASE WHEN NOT h.waits THEN i.worker END,
       lease_until = CASE WHEN NOT h.waits THEN i.lease_until END
     FROM held h WHERE i.run_id = h.run_id AND i.target = h.target AND i.item = h.item`,
    [...moved, SUSPECT_CRASHES],
  );
}
