import { longQuery, type Pool, type PoolClient } from '../connection/pool.js';
import { monthsOf } from './drop-months.js';

/** Teams that run nothing are counted this often: dropped months leave. A deletion makes the next count due at once. */
const RECOUNTED_AFTER = '10 minutes';

/** SQL: about how many bytes a row of `result` or `rescored` takes. */
export const VERDICT_BYTES = `(coalesce(octet_length(evidence), 0) + coalesce(octet_length(metrics), 0) +
  coalesce(octet_length(called), 0) + 200)`;

/** SQL: versions of suites that something of the team `team` pins, also of deleted suites. */
const PINNED = `SELECT suite_version_id FROM run WHERE team_id = team.id
  UNION SELECT suite_version_id FROM rescore WHERE team_id = team.id
  UNION SELECT suite_version_id FROM orchestration WHERE team_id = team.id`;

/**
 * Adds up what teams store, so that a quota can be checked at once: of a team with a job under way at each call, of
 * others now and then. Each target has a count of its results, rescores and exchanges (`settle_items`), and each
 * version of a suite one of its bytes, so a hundred thousand runs of three models take 0.2 s. Exchanges of dropped
 * months are gone.
 */
export async function countStorage(pool: Pool, signal?: AbortSignal): Promise<void> {
  const { rows: teams } = await pool.query<{ id: string; countedAt: Date | null }>(
    `SELECT t.id, s.counted_at AS "countedAt" FROM team t LEFT JOIN team_storage s ON s.team_id = t.id
     WHERE s.counted_at IS NULL OR s.counted_at < now() - interval '${RECOUNTED_AFTER}' OR EXISTS (
       SELECT 1 FROM job j
       WHERE j.team_id = t.id AND j.status IN ('pending', 'queued', 'running') AND j.parent_id IS NULL
     )
     ORDER BY s.counted_at NULLS FIRST`,
  );
  const [oldest] = await monthsOf(pool, 'exchange');
  for (const { id, countedAt } of teams) {
    if (signal?.aborted) return;
    await longQuery(
      pool,
      // What was deleted while this counted makes the next count due all the same.
      `INSERT INTO team_storage AS s (team_id, bytes, counted_at)
       SELECT id, (
         SELECT coalesce(sum(t.result_bytes + CASE WHEN $2::timestamptz IS NULL OR t.run_id >= uuid7_floor($2)
           THEN t.exchange_bytes ELSE 0 END), 0)
         FROM run r JOIN target t ON t.run_id = r.id WHERE r.team_id = team.id
       ) + (
         SELECT coalesce(sum(bytes), 0) FROM suite_version WHERE id IN (${PINNED})
       ), now()
       FROM team WHERE id = $1
       ON CONFLICT (team_id) DO UPDATE SET bytes = excluded.bytes,
         counted_at = CASE WHEN s.counted_at = $3 THEN excluded.counted_at ELSE s.counted_at END`,
      [id, oldest && new Date(oldest.fromMs), countedAt],
    );
  }
}

/** Makes the count of the teams of these runs due, because they are deleted. It is the last lock of a deletion. */
export async function recountStorageOf(client: PoolClient, teamIds: readonly string[]): Promise<void> {
  await client.query(
    `UPDATE team_storage SET counted_at = now() - interval '1 day'
     WHERE team_id IN (SELECT team_id FROM team_storage WHERE team_id = ANY ($1) ORDER BY team_id FOR NO KEY UPDATE)`,
    [teamIds],
  );
}

/** Counts what a target stores that has ended without a count: under a release that had none, or after a resume. */
export async function countTarget(pool: Pool, runId: string, ordinal: number): Promise<void> {
  await longQuery(
    pool,
    `UPDATE target SET exchange_bytes = (
       SELECT coalesce(sum(octet_length(body)), 0) FROM exchange WHERE run_id = $1 AND target = $2
     ) + (
       SELECT coalesce(sum(octet_length(body)), 0) FROM conversation_round WHERE run_id = $1 AND target = $2
     ), result_bytes = (
       SELECT coalesce(sum(${VERDICT_BYTES} + coalesce(octet_length(error_message), 0)), 1)
       FROM result WHERE run_id = $1 AND target = $2
     ) + (
       SELECT coalesce(sum(${VERDICT_BYTES}), 0) FROM rescored WHERE run_id = $1 AND target = $2
     ) WHERE run_id = $1 AND ordinal = $2 AND result_bytes = 0 AND finished_at IS NOT NULL`,
    [runId, ordinal],
  );
}

const PIECE = 100;
/** All targets are read to find those without a count, and whoever finishes one counts it, unless that fails. */
const SOUGHT_AFTER_MS = 3600_000;

/** Counts targets that have ended without a count (`countTarget`): of the upgrade, and of processes that died. */
export class TargetCounts {
  #soughtAt = -Infinity;

  /** @returns whether there may be more */
  async countPiece(pool: Pool): Promise<boolean> {
    if (performance.now() - this.#soughtAt < SOUGHT_AFTER_MS) return false;
    const { rows } = await longQuery<{ runId: string; ordinal: number }>(
      pool,
      `SELECT run_id AS "runId", ordinal FROM target
       WHERE result_bytes = 0 AND settled > 0 AND finished_at IS NOT NULL LIMIT ${PIECE}`,
    );
    for (const { runId, ordinal } of rows) await countTarget(pool, runId, ordinal);
    if (rows.length < PIECE) this.#soughtAt = performance.now();
    return rows.length === PIECE;
  }
}

/** Forgets how many items teams submitted on days long past. */
export async function forgetPastDays(pool: Pool): Promise<void> {
  await pool.query(`DELETE FROM team_day WHERE day < (now() AT TIME ZONE 'UTC')::date - 40`);
}
