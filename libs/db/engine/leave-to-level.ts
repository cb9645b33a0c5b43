import type { PoolClient } from '../connection/pool.js';

/** The level of workers that know of headers, client certificates and keys by reference. */
const ACCESS_LEVEL = 8;

/**
 * Leaves the unfinished runs that ask a provider to workers of this level, as `level-of-access.sql` does with runs that
 * are made from now on: those of the release before would ask without its headers. An item that such a worker holds at
 * this moment is played again by another, since what it settles is refused.
 * @returns the runs; call `leaveItemsToLaterWorkers` with them once their jobs are locked
 */
export async function leaveToLaterWorkers(
  client: PoolClient,
  { teamId, providerId }: { teamId: string; providerId: string },
): Promise<string[]> {
  const { rows } = await client.query<{ run_id: string; level: number }>(
    `SELECT t.run_id, r.worker_level AS level FROM target t JOIN run r ON r.id = t.run_id
     WHERE r.team_id = $1 AND r.status IN ('pending', 'queued', 'running') AND t.finished_at IS NULL
       AND (t.provider_id = $2 OR EXISTS (SELECT 1 FROM embedding_model e WHERE e.team_id = $1 AND e.provider_id = $2))
     ORDER BY t.run_id, t.ordinal FOR NO KEY UPDATE OF t`,
    [teamId, providerId],
  );
  const runIds = [...new Set(rows.filter(({ level }) => level < ACCESS_LEVEL).map(({ run_id }) => run_id))];
  if (runIds.length === 0) return [];
  await client.query('SELECT 1 FROM run WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [runIds]);
  await client.query('UPDATE run SET worker_level = greatest(worker_level, $2) WHERE id = ANY ($1)', [
    runIds,
    ACCESS_LEVEL,
  ]);
  // Its trigger copies the level of the run.
  await client.query('UPDATE target SET active = true WHERE run_id = ANY ($1) AND active_for IS NOT NULL', [runIds]);
  return runIds;
}

/** The same for their items that wait in a queue or are held. Those being claimed at this moment are skipped. */
export async function leaveItemsToLaterWorkers(client: PoolClient, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await client.query(
    `UPDATE in_flight i SET worker_level = $2 FROM (
       SELECT run_id, target, item FROM in_flight WHERE run_id = ANY ($1) ORDER BY run_id, target, item
       FOR NO KEY UPDATE SKIP LOCKED
     ) held WHERE i.run_id = held.run_id AND i.target = held.target AND i.item = held.item`,
    [runIds, ACCESS_LEVEL],
  );
}
