import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_SUITE } from '#lib/contracts/suite';
import type { PoolClient } from '../connection/pool.js';

const WAY_OUT = 'Delete cases that you do not need, or divide them among several suites.';

/**
 * Checks that a suite that has just grown is not too large. Call it under the suite's lock, in the transaction that
 * made the suite grow. It counts again instead of trusting a counter, so it is right whatever else wrote here. Postgres
 * knows the lengths without reading the texts: some 30 ms for 100,000 cases.
 * @param growth what was added, minus what was removed
 * @returns how many cases it has; undefined if it did not grow
 * @throws ProblemError 422 when the suite grew beyond its maximum size
 */
export async function checkSuiteSize(
  client: PoolClient,
  suiteId: string,
  growth: { cases: number; bytes: number },
): Promise<number | undefined> {
  if (growth.cases <= 0 && growth.bytes <= 0) return undefined;
  const { rows } = await client.query<{ cases: number; bytes: number }>(
    `SELECT c.cases, c.bytes + octet_length(tools) + octet_length(description) +
       coalesce(octet_length(system_prompt), 0) AS bytes
     FROM suite, (SELECT count(*)::int AS cases, coalesce(sum(octet_length(body)), 0)::int8 AS bytes FROM suite_case
       WHERE suite_id = $1) c WHERE id = $1`,
    [suiteId],
  );
  const { cases, bytes } = rows[0]!;
  if (growth.cases > 0 && cases > MAX_SUITE.cases)
    throw new ProblemError(
      422,
      `The suite would have ${cases} cases, and a suite may have ${MAX_SUITE.cases}. ${WAY_OUT}`,
    );
  if (growth.bytes > 0 && bytes > MAX_SUITE.bytes)
    throw new ProblemError(
      422,
      `The suite would have ${bytes} bytes, and a suite may have ${MAX_SUITE.bytes} ` +
        `(${MAX_SUITE.bytes / 2 ** 20} MiB). ${WAY_OUT}`,
    );
  return cases;
}
