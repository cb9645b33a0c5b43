import type { CaseInput } from '#lib/contracts/case';
import { scoredCases } from './for-workers/scored-cases.js';
import { CASE_PAGE } from '../catalogue/case-pages.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import { jsonColumn } from '../connection/json-column.js';

/** A stored case of a suite version: `body` is its JSON. */
export interface StoredCase {
  position: number;
  body: string;
  category: string | null;
}

export const parseCase = (body: string): CaseInput => jsonColumn<CaseInput>(body);

/** Cases of a suite version by position. Callers have the id of a version from a run of their team. */
export async function loadCases(pool: Pool, versionId: string, positions: readonly number[]): Promise<StoredCase[]> {
  const { rows } = await pool.query<StoredCase>({
    name: 'load_cases',
    text: 'SELECT position, body, category FROM suite_version_case WHERE version_id = $1 AND position = ANY ($2)',
    values: [versionId, positions],
  });
  return rows;
}

/** The tools of a suite version, as JSON. */
export async function readVersionTools(pool: Pool, versionId: string): Promise<string> {
  const { rows } = await pool.query<{ tools: string }>('SELECT tools FROM suite_version WHERE id = $1', [versionId]);
  return rows[0]!.tools;
}

/**
 * The tools of the suite version that a team's run pinned, and the cases that the run selected, page by page. Undefined
 * when the run is gone.
 */
export async function readPinnedSuite(
  pool: Pool,
  teamId: string,
  runId: string,
): Promise<{ tools: string; pages: AsyncGenerator<PinnedCase[]> } | undefined> {
  const { rows } = await pool.query<{ version_id: string; tools: string; positions: number[] }>(
    `SELECT v.id AS version_id, v.tools, r.case_positions AS positions FROM run r
      JOIN suite_version v ON v.id = r.suite_version_id WHERE r.id = $1 AND r.team_id = $2`,
    [runId, teamId],
  );
  return rows[0] && { tools: rows[0].tools, pages: pinnedPages(pool, rows[0].version_id, rows[0].positions) };
}

/**
 * Cases of a suite version, page by page.
 * @param positions of the selected cases, in order; empty: all of them
 * @param rescore of the run `runId`, whose version may have other texts of these cases
 */
export async function* pinnedPages(
  pool: Pool | PoolClient,
  versionId: string,
  positions: readonly number[],
  rescore?: { runId: string; id: string },
): AsyncGenerator<PinnedCase[]> {
  const cases = scoredCases({ version: '$1', rescore: rescore && { run: '$4', id: '$5' } });
  let next = 0;
  for (let after = -1; ;) {
    const wanted = positions.slice(next, next + CASE_PAGE.cases);
    if (positions.length && wanted.length === 0) return;
    const { rows } = await pool.query<PinnedCase>(
      `SELECT c.position, c.body, c.version_id AS "versionId" FROM (
         SELECT position, sum(bytes) OVER (ORDER BY position) - bytes AS before FROM (
           SELECT position, octet_length(body) AS bytes FROM suite_version_case
           WHERE version_id = $1 AND position > $2 AND (cardinality($3::int[]) = 0 OR position = ANY ($3))
           ORDER BY position LIMIT ${CASE_PAGE.cases}
         ) found
       ) fitting JOIN ${cases} c ON c.position = fitting.position
       WHERE fitting.before < ${CASE_PAGE.bytes} ORDER BY c.position`,
      [versionId, after, wanted, ...(rescore ? [rescore.runId, rescore.id] : [])],
    );
    if (rows.length === 0) return;
    yield rows;
    next += rows.length;
    after = rows.at(-1)!.position;
  }
}
/** `versionId` is the version that its text comes from, and so what its conversation takes from the suite. */
export type PinnedCase = Omit<StoredCase, 'category'> & { versionId: string };
