import { ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';

export interface PinnedSuite {
  versionId: string;
  version: number;
  name: string;
  caseCount: number;
}

/**
 * The immutable copy of the suite as it is now, or an earlier one. The first run of a version makes it, and the others
 * share it.
 * @param versionId an earlier version of the suite that something pins
 * @throws ProblemError 422 when the team has no such suite
 */
export async function pinSuiteVersion(
  client: PoolClient,
  teamId: string,
  suiteId: string,
  versionId?: string,
): Promise<PinnedSuite> {
  // FOR UPDATE: nobody edits the suite while it is copied, and two first runs do not copy it twice.
  const { rows } = await client.query<{ version: number; name: string }>(
    `SELECT version, name FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE`,
    [suiteId, teamId],
  );
  const suite = rows[0];
  if (!suite)
    throw new ProblemError(422, `No suite with id "${suiteId}" in this team.`, [
      { path: '/suite_id', message: 'does not exist' },
    ]);
  if (versionId !== undefined) return readPinned(client, versionId);
  return readPinned(client, (await lockVersion(client, suiteId, suite.version)) ?? (await copySuite(client, suiteId)));
}

/** A version that something pins already. */
export async function readPinned(client: PoolClient, versionId: string): Promise<PinnedSuite> {
  const { rows } = await client.query<PinnedSuite>(
    `SELECT id AS "versionId", version, name,
       (SELECT count(*)::int FROM suite_version_case c WHERE c.version_id = v.id) AS "caseCount"
     FROM suite_version v WHERE id = $1`,
    [versionId],
  );
  return rows[0]!;
}

/** Locked until the transaction ends, so that it is not removed before a run pins it (`removeUnusedVersions`). */
async function lockVersion(client: PoolClient, suiteId: string, version: number): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM suite_version WHERE suite_id = $1 AND version = $2 FOR KEY SHARE',
    [suiteId, version],
  );
  return rows[0]?.id;
}

async function copySuite(client: PoolClient, suiteId: string): Promise<string> {
  const versionId = newId();
  await client.query(
    `INSERT INTO suite_version (id, suite_id, version, name, description, system_prompt, tools, pass_threshold)
     SELECT $2, id, version, name, description, system_prompt, tools, pass_threshold FROM suite WHERE id = $1`,
    [suiteId, versionId],
  );
  await client.query(
    `INSERT INTO suite_version_case (version_id, position, case_id, category, tags, body)
     SELECT $2, row_number() OVER (ORDER BY position, id) - 1, id, category, tags, body
     FROM suite_case WHERE suite_id = $1`,
    [suiteId, versionId],
  );
  return versionId;
}

export const noCases = ({ name }: PinnedSuite): ProblemError =>
  new ProblemError(422, `The suite "${name}" has no test cases. Add one with POST /api/tool-suites/{id}/cases.`);
