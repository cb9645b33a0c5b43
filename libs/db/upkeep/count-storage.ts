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

const PIECE = 100;

/**
 * Counts what some targets store that have ended without a count: under a release that had none, or after a resume.
 * @returns whether there may be more
 */
export async function countTargets(pool: Pool): Promise<boolean> {
  const { rows } = await longQuery<{ runId: string; ordinal: number }>(
    pool,
    `SELECT run_id AS "runId", ordinal FROM target
     WHERE result_bytes = 0 AND settled > 0 AND finished_at IS NOT NULL LIMIT ${PIECE}`,
  );
  for (const { runId, ordinal } of rows)
    await longQuery(
      pool,
      `UPDATE target SET exchange_bytes = (
         SELECT coalesce(sum(octet_length(body)), 0) FROM exchange WHERE run_id = $1 AND target = $2
       ), result_bytes = (
         SELECT coalesce(sum(coalesce(octet_length(evidence), 0) + coalesce(octet_length(metrics), 0) +
           coalesce(octet_length(error_message), 0) + coalesce(octet_length(called), 0) + 200), 1)
         FROM result WHERE run_id = $1 AND target = $2
       ) WHERE run_id = $1 AND ordinal = $2 AND result_bytes = 0 AND finished_at IS NOT NULL`,
      [runId, ordinal],
    );
  return rows.length === PIECE;
}
