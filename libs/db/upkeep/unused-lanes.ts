import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';

/** The ids among these whose lane was removed. */
export async function missingLanes(pool: Pool, laneIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT u.id FROM unnest($1::uuid[]) AS u(id) WHERE NOT EXISTS (SELECT 1 FROM lane l WHERE l.id = u.id)',
    [laneIds],
  );
  return rows.map(({ id }) => id);
}

/** Maximum number of lanes that one pass of the housekeeping reads. */
const MAX_LANES_PER_PASS = 1000;

/** Removes lanes that no provider uses and that have no work left. */
export async function removeUnusedLanes(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(`SELECT l.id FROM lane l WHERE ${UNUSED} LIMIT $1`, [
      MAX_LANES_PER_PASS,
    ]);
    if (rows.length)
      await removeIfUnused(
        client,
        rows.map(({ id }) => id),
      );
  });
}

const UNUSED = `NOT EXISTS (SELECT 1 FROM provider p WHERE p.lane_id = l.id)
  AND NOT EXISTS (SELECT 1 FROM model m WHERE m.lane_id = l.id)
  AND NOT EXISTS (SELECT 1 FROM in_flight i WHERE ${LANE_OF_ITEM} = l.id)
  AND NOT EXISTS (SELECT 1 FROM target t WHERE t.lane_id = l.id AND t.finished_at IS NULL)`;

/**
 * Removes those of the lanes that are unused. It takes two statements: a transaction that starts to use a lane locks
 * it, and only a second statement sees what that transaction committed.
 */
export async function removeIfUnused(client: PoolClient, laneIds: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM lane WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED',
    [laneIds],
  );
  await client.query(
    `WITH gone AS (DELETE FROM lane l WHERE l.id = ANY ($1) AND ${UNUSED} RETURNING id)
     DELETE FROM lane_user WHERE lane_id IN (SELECT id FROM gone)`,
    [rows.map(({ id }) => id)],
  );
}
