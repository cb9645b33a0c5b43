import type { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import type { Pool } from '../connection/pool.js';

/** A case of a suite version, as it is stored: `body` is its JSON. */
export interface StoredCase {
  position: number;
  body: string;
  category: string | null;
}

export const parseCase = (body: string): CaseInput => parseJson(body) as unknown as CaseInput;

/** Cases of a suite version by position. Whoever has the id of a version got it with a run of their team. */
export async function loadCases(pool: Pool, versionId: string, positions: readonly number[]): Promise<StoredCase[]> {
  const { rows } = await pool.query<StoredCase>({
    name: 'load_cases',
    text: 'SELECT position, body, category FROM suite_version_case WHERE version_id = $1 AND position = ANY ($2)',
    values: [versionId, positions],
  });
  return rows;
}
