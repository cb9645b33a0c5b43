import { NO_ID } from '#lib/contracts/spending';
import type { Pool } from '../connection/pool.js';

/** The stored vectors of texts, by the hash of the text in hex. */
export async function findEmbeddings(
  pool: Pool,
  teamId: string,
  model: string,
  hashes: readonly Buffer[],
): Promise<Map<string, Float32Array>> {
  const { rows } = await pool.query<{ hash: Buffer; vector: Buffer }>({
    name: 'find_embeddings',
    text: 'SELECT hash, vector FROM embedding WHERE team_id = $1 AND model = $2 AND hash = ANY ($3::bytea[])',
    values: [teamId, model, hashes],
  });
  // Copied, as a Float32Array needs an offset that is a multiple of four.
  return new Map(
    rows.map(({ hash, vector }) => [hash.toString('hex'), new Float32Array(Uint8Array.from(vector).buffer)]),
  );
}

/** Usage and cost of a request for vectors. */
export interface EmbeddingBill {
  providerKey: string;
  modelId: string;
  tokens: number;
  costUsd: number;
}

/** A text's vector, to store. */
export interface NewEmbedding {
  hash: Buffer;
  vector: Float32Array;
  /** The run or the rescore that asked for it first. */
  askedBy: string;
  /** Its part of the bill. */
  share: number;
}

/**
 * Stores vectors and adds their cost to the team's spending, and to that of the tokens that asked for them: all of it
 * or nothing.
 * @param model the name that the vectors are stored under
 * @param isRetry an earlier attempt may have been committed: vectors that it stored are already counted
 */
export async function storeEmbeddings(
  pool: Pool,
  teamId: string,
  model: string,
  entries: readonly NewEmbedding[],
  { providerKey, modelId, tokens, costUsd }: EmbeddingBill,
  isRetry: boolean,
): Promise<void> {
  await pool.query(
    `WITH stored AS (
       INSERT INTO embedding (team_id, model, hash, vector) SELECT $1, $2, u.hash, u.vector
         FROM unnest($3::bytea[], $4::bytea[]) AS u(hash, vector) ON CONFLICT DO NOTHING RETURNING 1
     ), billed AS (
       SELECT 1 WHERE NOT $6 OR EXISTS (SELECT 1 FROM stored)
     ), spent_by_token AS (
       -- After \`spent\`, as in settle_items.
       INSERT INTO token_spending AS s (token_id, month, shard, cost_usd)
       SELECT asked.token_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16,
         sum($5::float8 * a.share)
       FROM billed CROSS JOIN unnest($11::uuid[], $12::float8[]) AS a (id, share)
         CROSS JOIN LATERAL (
           SELECT token_id FROM run WHERE id = a.id UNION ALL SELECT token_id FROM rescore WHERE id = a.id
         ) asked
       WHERE $5::float8 > 0 AND asked.token_id IS NOT NULL GROUP BY 1 ORDER BY 1
       ON CONFLICT (token_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
     ), spent AS (
       INSERT INTO spending AS s (team_id, month, shard, cost_usd)
       SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, $5::float8
         FROM billed WHERE $5::float8 > 0
       ON CONFLICT (team_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd
     )
     INSERT INTO daily_spending AS s (team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name,
       requests, prompt_tokens, cost_usd)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date, $7::uuid, $7::uuid, $8, $9, pg_backend_pid() % 4, '',
       1, $10::bigint, $5::float8
       FROM billed
     ON CONFLICT (team_id, day, user_id, suite_id, provider_key, model_id, shard) DO UPDATE SET
       requests = s.requests + excluded.requests, prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
       cost_usd = s.cost_usd + excluded.cost_usd`,
    [
      teamId,
      model,
      entries.map((entry) => entry.hash),
      entries.map(({ vector }) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)),
      costUsd,
      isRetry,
      NO_ID,
      providerKey,
      modelId,
      tokens,
      entries.map(({ askedBy }) => askedBy),
      entries.map(({ share }) => share),
    ],
  );
}
