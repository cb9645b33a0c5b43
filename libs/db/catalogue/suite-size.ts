import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_SUITE } from '#lib/contracts/suite';
import type { PoolClient } from '../connection/pool.js';
import { keepQuotas } from './quotas.js';

const WAY_OUT = 'Delete cases that you do not need, or divide them among several suites.';

/** Number of its cases, and bytes of everything in it. The cases are counted by a trigger. */
export async function sizeOfSuite(client: PoolClient, suiteId: string): Promise<{ cases: number; bytes: number }> {
  const { rows } = await client.query<{ cases: number; bytes: number }>(
    `SELECT case_count AS cases, (case_bytes + octet_length(tools) + octet_length(description) +
       coalesce(octet_length(system_prompt), 0) + coalesce(octet_length(conversation), 0))::int8 AS bytes
     FROM suite WHERE id = $1`,
    [suiteId],
  );
  return rows[0]!;
}

/**
 * Checks that a suite that has just grown is not too large, nor are all suites of its team together. Call it last under
 * the suite's lock, in the transaction that made the suite grow.
 * @param growth what was added, minus what was removed
 * @returns how many cases it has; undefined if it did not grow
 * @throws ProblemError 422 when the suite grew beyond its maximum size, 409 when the team reached a quota
 */
export async function checkSuiteSize(
  client: PoolClient,
  { teamId, suiteId }: { teamId: string; suiteId: string },
  growth: { suites?: number; cases: number; bytes: number },
): Promise<number | undefined> {
  if (growth.cases <= 0 && growth.bytes <= 0) return undefined;
  const { cases, bytes } = await sizeOfSuite(client, suiteId);
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
  const { suites = 0, cases: added, bytes: more } = growth;
  await keepQuotas(client, teamId, { suites, cases: added, suite_bytes: more });
  return cases;
}
