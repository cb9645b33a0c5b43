import type { CaseInput } from '#lib/contracts/case';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';

/** Maximum size of one INSERT of cases, so that a large suite is not in memory twice. */
const MAX_INSERT_BYTES = 2 ** 20;

/** A stored case. */
export interface WrittenCase {
  category: string | null;
  tags: string[];
  /** Its JSON. */
  body: string;
}
export const writeCase = (input: CaseInput): WrittenCase => ({
  category: input.category ?? null,
  tags: input.tags ?? [],
  body: JSON.stringify(input),
});

export const bytesOfCases = (cases: readonly WrittenCase[]): number =>
  cases.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

/**
 * @param firstPosition position of the first case; the others follow
 * @returns their ids
 */
export async function insertCases(
  client: PoolClient,
  suiteId: string,
  cases: readonly WrittenCase[],
  firstPosition: number,
): Promise<string[]> {
  const ids = cases.map(() => newId());
  for (let start = 0; start < cases.length;) {
    let [end, bytes] = [start, 0];
    while (end < cases.length && (end === start || bytes < MAX_INSERT_BYTES)) bytes += cases[end++]!.body.length;
    const batch = cases.slice(start, end);
    await client.query(
      `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
       SELECT c.id, $1, c.position, c.category, ARRAY(SELECT json_array_elements_text(c.tags::json)), c.body
       FROM unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[]) AS c(id, position, category, tags, body)`,
      [
        suiteId,
        ids.slice(start, end),
        batch.map((_one, index) => firstPosition + start + index),
        batch.map((one) => one.category),
        batch.map((one) => JSON.stringify(one.tags)),
        batch.map((one) => one.body),
      ],
    );
    start = end;
  }
  return ids;
}
