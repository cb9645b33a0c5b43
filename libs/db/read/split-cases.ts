import { NOT_DRAFT } from '../catalogue/case-pages.js';
import type { Pool } from '../connection/pool.js';

/** The cases of a suite that take part in runs, by the positions that they have in its version (`pinSuiteVersion`). */
export async function readSplitCases(
  pool: Pool,
  teamId: string,
  suiteId: string,
): Promise<{ position: number; category: string | null }[]> {
  const { rows } = await pool.query<{ position: number; category: string | null }>(
    `SELECT position, category FROM (
       SELECT (row_number() OVER (ORDER BY position, id) - 1)::int AS position, category, body FROM suite_case
       WHERE suite_id = (SELECT id FROM suite WHERE id = $1 AND team_id = $2)
     ) numbered WHERE ${NOT_DRAFT} ORDER BY position`,
    [suiteId, teamId],
  );
  return rows;
}
