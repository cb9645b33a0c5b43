import { NOT_DRAFT } from '#lib/db/catalogue/case-pages';
import type { Pool } from '#lib/db/connection/pool';

/**
 * The cases of a suite that take part in runs, by their positions in its version (`pinSuiteVersion`): JSON of
 * `[position, category]` for each. Postgres builds it and a thread parses it, because there may be 100,000.
 */
export async function readSplitCases(pool: Pool, teamId: string, suiteId: string): Promise<string> {
  const { rows } = await pool.query<{ cases: string | null }>(
    `SELECT json_agg(json_build_array(position, category) ORDER BY position)::text AS cases FROM (
       SELECT (row_number() OVER (ORDER BY position, id) - 1)::int AS position, category, body FROM suite_case
       WHERE suite_id = (SELECT id FROM suite WHERE id = $1 AND team_id = $2)
     ) numbered WHERE ${NOT_DRAFT}`,
    [suiteId, teamId],
  );
  return rows[0]?.cases ?? '[]';
}
