import type { Pool, PoolClient } from '../connection/pool.js';
import type { Settlement } from './settle-items.js';

/** A stored exchange that answers a request, and what it took. */
export interface CachedReply {
  /** zstd of JSON {requests, replies} */
  exchange: Buffer;
  promptTokens: number | null;
  completionTokens: number | null;
}

export interface CacheKey {
  teamId: string;
  /** SHA-256 */
  key: Buffer;
}

/**
 * The replies that are stored, not older than their team wants; undefined where there is none, or its run was
 * deleted.
 */
export async function findCachedReplies(pool: Pool, wanted: readonly CacheKey[]): Promise<(CachedReply | undefined)[]> {
  const { rows } = await pool.query<{
    n: number;
    body: Buffer;
    prompt_tokens: number | null;
    completion_tokens: number | null;
  }>({
    name: 'find_cached_replies',
    text: `SELECT u.n::int, e.body, r.prompt_tokens, r.completion_tokens
      FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS u(team_id, key, n)
      JOIN cached_reply c ON c.team_id = u.team_id AND c.key = u.key JOIN team t ON t.id = c.team_id
      JOIN run ON run.id = c.run_id JOIN exchange e ON e.run_id = c.run_id AND e.target = c.target
        AND e.case_position = c.case_position AND e.sample = c.sample
      JOIN result r ON r.run_id = c.run_id AND r.target = c.target AND r.case_position = c.case_position
        AND r.sample = c.sample
      WHERE c.asked_at > now() - t.cache_days * interval '1 day'`,
    values: [wanted.map((one) => one.teamId), wanted.map((one) => one.key)],
  });
  const found = new Array<CachedReply | undefined>(wanted.length).fill(undefined);
  for (const row of rows)
    found[row.n - 1] = { exchange: row.body, promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens };
  return found;
}

/** How many of these requests stored replies would answer. */
export async function countCachedReplies(pool: Pool, teamId: string, keys: readonly Buffer[]): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM unnest($2::bytea[]) AS u(key) JOIN cached_reply c ON c.team_id = $1
      AND c.key = u.key JOIN team t ON t.id = c.team_id
       JOIN run ON run.id = c.run_id WHERE c.asked_at > now() - t.cache_days * interval '1 day'`,
    [teamId, keys],
  );
  return rows[0]!.n;
}

/** Notes where replies are stored. The newest wins; of one key in a batch, the last. */
export async function cacheReplies(
  pool: Pool,
  kept: readonly (CacheKey & { settlement: Settlement })[],
): Promise<void> {
  const entries = [
    ...new Map(kept.map((entry) => [`${entry.teamId} ${entry.key.toString('latin1')}`, entry])).values(),
  ];
  const of = <Value>(column: (entry: (typeof entries)[number]) => Value): Value[] => entries.map(column);
  await pool.query({
    name: 'keep_replies',
    text: `INSERT INTO cached_reply (team_id, key, run_id, target, case_position, sample, bytes)
      SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[]) AS
        u(team_id, key, run_id, target, case_position, sample, bytes)
      ORDER BY team_id, key
      ON CONFLICT (team_id, key) DO UPDATE
        SET run_id = excluded.run_id, target = excluded.target, case_position = excluded.case_position, sample =
        excluded.sample,
        bytes = excluded.bytes, asked_at = now()`,
    values: [
      of((e) => e.teamId),
      of((e) => e.key),
      of((e) => e.settlement.delivery.runId),
      of((e) => e.settlement.delivery.target),
      of((e) => e.settlement.casePosition),
      of((e) => e.settlement.sample),
      of((e) => e.settlement.exchange.length),
    ],
  });
}

/**
 * Forgets where the replies are that are kept now; the results that hold them stay. In pieces, so that nobody waits
 * for long.
 */
export async function clearCache(pool: Pool, teamId: string, pieceSize = 10_000): Promise<void> {
  // Times of replies are rounded to milliseconds.
  const { rows } = await pool.query<{ until: Date }>(
    `SELECT date_trunc('milliseconds', now()) + interval '1 millisecond' AS until`,
  );
  let removed: number | null;
  do {
    ({ rowCount: removed } = await pool.query(
      `DELETE FROM cached_reply WHERE (team_id, key) IN (SELECT team_id, key FROM cached_reply WHERE team_id = $1
        AND asked_at <= $2 ORDER BY asked_at LIMIT $3) AND asked_at <= $2`,
      [teamId, rows[0]!.until, pieceSize],
    ));
  } while (removed); // Not until a piece is smaller: others may have removed a part of it.
}

/** Removes a piece of what is older than its team wants. Answers whether there may be more. */
export async function expireCachedReplies(pool: Pool, pieceSize = 5000): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM cached_reply WHERE (team_id, key) IN (
       SELECT c.team_id, c.key FROM team t JOIN cached_reply c ON c.team_id = t.id
         AND c.asked_at < now() - t.cache_days * interval '1 day' LIMIT $1)`,
    [pieceSize],
  );
  return rowCount === pieceSize;
}
