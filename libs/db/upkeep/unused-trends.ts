import { longQuery, type Pool } from '../connection/pool.js';

const ORPHANED = `NOT EXISTS (SELECT FROM suite WHERE suite.id = s.suite_id)`;

/** Removes a batch of the trends of suites that were deleted. @returns whether there may be more */
export async function removeUnusedTrends(pool: Pool, pieceSize = 5000): Promise<boolean> {
  const { rowCount } = await longQuery(
    pool,
    `DELETE FROM trend_point WHERE (run_id, series_id) IN (
       SELECT p.run_id, p.series_id FROM trend_series s JOIN trend_point p ON p.series_id = s.id
       WHERE ${ORPHANED} LIMIT $1
     )`,
    [pieceSize],
  );
  if (rowCount) return true;
  await pool.query(`DELETE FROM trend_series s WHERE ${ORPHANED}`);
  return false;
}
