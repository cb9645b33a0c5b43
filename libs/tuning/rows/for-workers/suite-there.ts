import type { Pool } from '#lib/db/connection/pool';

/** Whether the team still has this suite. */
export async function isSuiteThere(pool: Pool, teamId: string, suiteId: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM suite WHERE id = $1 AND team_id = $2', [suiteId, teamId]);
  return rowCount !== 0;
}
