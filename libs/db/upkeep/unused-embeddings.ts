import type { Pool } from '../connection/pool.js';

/**
 * Removes some vectors of models that their team stopped using more than a week ago. Until then the team may switch
 * back to the model without paying for its vectors again.
 * @returns whether there may be more
 */
export async function removeUnusedEmbeddings(pool: Pool, pieceSize = 5000): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM embedding WHERE (team_id, model, hash) IN (
       SELECT e.team_id, e.model, e.hash FROM team t JOIN embedding e ON e.team_id = t.id
         LEFT JOIN embedding_model m ON m.team_id = t.id
       WHERE ${CHANGED_LONG_AGO} AND e.model IS DISTINCT FROM m.provider_id || ' ' || m.model_id LIMIT $1)`,
    [pieceSize],
  );
  if (rowCount) return true;
  await pool.query(`UPDATE team t SET embedding_changed_at = NULL WHERE ${CHANGED_LONG_AGO}`);
  return false;
}
const CHANGED_LONG_AGO = `t.embedding_changed_at < now() - interval '7 days'`;
