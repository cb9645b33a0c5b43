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
  // Copied: a Float32Array needs an offset that is a multiple of four.
  return new Map(
    rows.map(({ hash, vector }) => [hash.toString('hex'), new Float32Array(Uint8Array.from(vector).buffer)]),
  );
}

/**
 * Stores vectors and adds their cost to the spending of the team, both or neither.
 * @param isRetry the same was tried before and may have been committed: what was stored then is counted already
 */
export async function storeEmbeddings(
  pool: Pool,
  teamId: string,
  model: string,
  entries: readonly { hash: Buffer; vector: Float32Array }[],
  costUsd: number,
  isRetry: boolean,
): Promise<void> {
  await pool.query(
    `WITH stored AS (
       INSERT INTO embedding (team_id, model, hash, vector) SELECT $1, $2, u.hash, u.vector
         FROM unnest($3::bytea[], $4::bytea[]) AS u(hash, vector) ON CONFLICT DO NOTHING RETURNING 1
     )
     INSERT INTO spending AS s (team_id, month, shard, cost_usd)
     SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, pg_backend_pid() % 16, $5::float8
       WHERE $5::float8 > 0 AND (NOT $6 OR EXISTS (SELECT 1 FROM stored))
     ON CONFLICT (team_id, month, shard) DO UPDATE SET cost_usd = s.cost_usd + excluded.cost_usd`,
    [
      teamId,
      model,
      entries.map((entry) => entry.hash),
      entries.map(({ vector }) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)),
      costUsd,
      isRetry,
    ],
  );
}
