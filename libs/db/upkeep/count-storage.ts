import { longQuery, type Pool } from '../connection/pool.js';
import { monthsOf } from './drop-months.js';

/** Teams that run nothing are counted this often: deleted runs and dropped months leave. */
const RECOUNTED_AFTER = '10 minutes';

/**
 * Adds up what teams store, so that a quota can be checked at once: of a team with a job under way at each call, of
 * others now and then. Each target has a count of its results and exchanges (`settle_items`), so a hundred thousand
 * runs take a fraction of a second. Exchanges of dropped months are gone.
 */
export async function countStorage(pool: Pool, signal?: AbortSignal): Promise<void> {
  const { rows: teams } = await pool.query<{ id: string }>(
    `SELECT t.id FROM team t LEFT JOIN team_storage s ON s.team_id = t.id
     WHERE s.counted_at IS NULL OR s.counted_at < now() - interval '${RECOUNTED_AFTER}' OR EXISTS (
       SELECT 1 FROM job j
       WHERE j.team_id = t.id AND j.status IN ('pending', 'queued', 'running') AND j.parent_id IS NULL
     )
     ORDER BY s.counted_at NULLS FIRST`,
  );
  const [oldest] = await monthsOf(pool, 'exchange');
  for (const { id } of teams) {
    if (signal?.aborted) return;
    await longQuery(
      pool,
      `INSERT INTO team_storage (team_id, bytes, counted_at)
       SELECT id, (
         SELECT coalesce(sum(t.result_bytes + CASE WHEN $2::timestamptz IS NULL OR t.run_id >= uuid7_floor($2)
           THEN t.exchange_bytes ELSE 0 END), 0)
         FROM run r JOIN target t ON t.run_id = r.id WHERE r.team_id = team.id
       ), now()
       FROM team WHERE id = $1
       ON CONFLICT (team_id) DO UPDATE SET bytes = excluded.bytes, counted_at = excluded.counted_at`,
      [id, oldest && new Date(oldest.fromMs)],
    );
  }
}
