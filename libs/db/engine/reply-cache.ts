import type { Usage } from '#lib/contracts/cost';
import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool } from '../connection/pool.js';
import { wholeExchange } from '../read/exchange-parts.js';
import { usageColumns } from '../read/for-workers/result-table.js';
import type { Settlement } from './settle-items.js';

// The cache stores no replies itself. `cached_reply` says which settled item has the reply to a request, and the reply
// is that item's exchange. Replies that were deleted, or dropped with their month, are requested again.

/** A stored exchange that answers a request, and its usage. */
export interface CachedReply {
  /** zstd of JSON {requests, replies} */
  exchange: Buffer;
  usage: Usage;
}

export interface CacheKey {
  teamId: string;
  /** SHA-256 of the request */
  key: Buffer;
}

const KEYS = new BatchColumns<CacheKey>({
  team_id: ['uuid', ({ teamId }) => teamId],
  key: ['bytea', ({ key }) => key],
});

/** SQL: the entry `c` is within the cache lifetime of its team `t`. */
const IS_FRESH = `c.asked_at > now() - t.cache_days * interval '1 day'`;

/** SQL: a row of `exchange` or `result` belongs to the entry `c`. */
const ITS_ITEM = '(run_id, target, case_position, sample) = (c.run_id, c.target, c.case_position, c.sample)';

/** The stored replies to these requests, in their order; undefined if there is none or its run was deleted. */
export async function findCachedReplies(pool: Pool, wanted: readonly CacheKey[]): Promise<(CachedReply | undefined)[]> {
  const { rows } = await pool.query<{ n: number; exchange: Buffer } & Usage>({
    name: 'find_cached_replies',
    // LIMIT keeps the two partitioned tables out of the search for a join order: planning takes a third of the time.
    text: `SELECT u.n::int, e.body AS exchange, ${usageColumns('r')}
      FROM ${KEYS.unnest(1, 'n')}
        JOIN cached_reply c ON c.team_id = u.team_id AND c.key = u.key
        JOIN team t ON t.id = c.team_id
        JOIN run ON run.id = c.run_id
        CROSS JOIN LATERAL (
          SELECT ${wholeExchange('exchange')} AS body FROM exchange WHERE ${ITS_ITEM} LIMIT 1
        ) e
        CROSS JOIN LATERAL (
          SELECT * FROM result WHERE ${ITS_ITEM} LIMIT 1
        ) r
      WHERE ${IS_FRESH}`,
    values: KEYS.values(wanted),
  });
  const found = new Array<CachedReply | undefined>(wanted.length).fill(undefined);
  for (const { n, exchange, ...usage } of rows) found[n - 1] = { exchange, usage: { ...usage, reportedCostUsd: null } };
  return found;
}

/** Number of these requests with a stored reply. */
export async function countCachedReplies(pool: Pool, teamId: string, keys: readonly Buffer[]): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n
     FROM unnest($2::bytea[]) AS u(key)
       JOIN cached_reply c ON c.team_id = $1 AND c.key = u.key
       JOIN team t ON t.id = c.team_id
       JOIN run ON run.id = c.run_id
     WHERE ${IS_FRESH}`,
    [teamId, keys],
  );
  return rows[0]!.n;
}

type CacheEntry = CacheKey & { settlement: Settlement };

const ENTRIES = new BatchColumns<CacheEntry>({
  team_id: ['uuid', (entry) => entry.teamId],
  key: ['bytea', (entry) => entry.key],
  run_id: ['uuid', ({ settlement }) => settlement.delivery.runId],
  target: ['int', ({ settlement }) => settlement.delivery.target],
  case_position: ['int', ({ settlement }) => settlement.casePosition],
  sample: ['int', ({ settlement }) => settlement.sample],
  bytes: ['int', ({ settlement }) => settlement.exchange.length],
});

/** Records where replies are stored. The newest entry of a key wins; in a batch, the last. */
export async function cacheReplies(pool: Pool, entries: readonly CacheEntry[]): Promise<void> {
  const lastOfKey = new Map(entries.map((entry) => [`${entry.teamId} ${entry.key.toString('latin1')}`, entry]));
  await pool.query({
    name: 'keep_replies',
    // Ordered by key, so that two batches cannot wait for each other.
    text: `INSERT INTO cached_reply (${ENTRIES.names}) SELECT * FROM ${ENTRIES.unnest(1)} ORDER BY team_id, key
      ON CONFLICT (team_id, key) DO UPDATE
        SET run_id = excluded.run_id, target = excluded.target, case_position = excluded.case_position,
          sample = excluded.sample, bytes = excluded.bytes, asked_at = now()`,
    values: ENTRIES.values([...lastOfKey.values()]),
  });
}

/**
 * Removes the replies that are now in a team's cache. The results that hold them stay. Works in batches, so that it
 * does not block others for long.
 */
export async function clearCache(pool: Pool, teamId: string, pieceSize = 10_000): Promise<void> {
  // asked_at is rounded to milliseconds.
  const { rows } = await pool.query<{ until: Date }>(
    `SELECT date_trunc('milliseconds', now()) + interval '1 millisecond' AS until`,
  );
  let removed: number | null;
  do {
    ({ rowCount: removed } = await pool.query(
      `DELETE FROM cached_reply WHERE (team_id, key) IN (
         SELECT team_id, key FROM cached_reply WHERE (team_id, key) IN (
           SELECT team_id, key FROM cached_reply WHERE team_id = $1 AND asked_at <= $2 ORDER BY asked_at LIMIT $3
         ) ORDER BY team_id, key FOR UPDATE
       ) AND asked_at <= $2`,
      [teamId, rows[0]!.until, pieceSize],
    ));
  } while (removed); // A short batch is not the last one: others may have removed part of it.
}

/** Removes a batch of expired entries. @returns whether there may be more */
export async function expireCachedReplies(pool: Pool, pieceSize = 5000): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM cached_reply WHERE (team_id, key) IN (
       SELECT c.team_id, c.key
       FROM team t JOIN cached_reply c
         ON c.team_id = t.id AND c.asked_at < now() - t.cache_days * interval '1 day'
       LIMIT $1 FOR UPDATE OF c SKIP LOCKED
     )`,
    [pieceSize],
  );
  return rowCount === pieceSize;
}
