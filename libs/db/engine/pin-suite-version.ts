import { ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';

export interface PinnedSuite {
  versionId: string;
  suiteId: string;
  version: number;
  name: string;
  caseCount: number;
}

/**
 * The immutable copy of the suite in its current state, or an earlier one. The first run of a version creates it, and
 * the others share it. The suite cannot be deleted until the transaction ends; it can be edited, and this does not wait
 * for edits: the last committed state is pinned.
 * @param versionId an earlier version of the suite that something pins
 * @throws ProblemError 422 when the team has no such suite
 */
export async function pinSuiteVersion(
  client: PoolClient,
  teamId: string,
  suiteId: string,
  versionId?: string,
): Promise<PinnedSuite> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT version FROM suite WHERE id = $1 AND team_id = $2 FOR KEY SHARE`,
    [suiteId, teamId],
  );
  if (!rows[0])
    throw new ProblemError(422, `No suite with id "${suiteId}" in this team.`, [
      { path: '/suite_id', message: 'does not exist' },
    ]).as('unknown_suite', { id: suiteId });
  if (versionId !== undefined) return readPinned(client, versionId);
  let { version } = rows[0];
  for (;;) {
    const pinned = (await lockVersion(client, suiteId, version)) ?? (await copySuite(client, suiteId));
    if (pinned !== undefined) return readPinned(client, pinned);
    // Another transaction has copied it meanwhile, or it was removed since.
    version = await presentVersion(client, suiteId);
  }
}

async function presentVersion(client: PoolClient, suiteId: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>('SELECT version FROM suite WHERE id = $1', [suiteId]);
  return rows[0]!.version;
}

/** How many versions are named where another one is not stored. */
const NAMED_VERSIONS = 20;

/**
 * The stored copy of one version of a suite; that of the current version is made if no run pinned it yet.
 * @throws ProblemError 422 when the suite was deleted, or has no such version; it names those that exist
 */
export async function pinVersion(
  client: PoolClient,
  { teamId, suiteId, version }: { teamId: string; suiteId: string; version: number },
): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT version FROM suite WHERE id = $1 AND team_id = $2 FOR KEY SHARE`,
    [suiteId, teamId],
  );
  if (!rows[0])
    throw new ProblemError(422, "The suite of this run was deleted, so only the run's own version is left.", [
      { path: '/suite_version', message: 'the suite was deleted' },
    ]).as('unknown_suite', { id: suiteId });
  const stored =
    (await lockVersion(client, suiteId, version)) ??
    (await copySuite(client, suiteId, version)) ??
    (await lockVersion(client, suiteId, version));
  if (stored !== undefined) return stored;
  const found = await client.query<{ version: number }>(
    `SELECT version FROM suite WHERE id = $1 UNION SELECT version FROM suite_version WHERE suite_id = $1
     ORDER BY version DESC LIMIT ${NAMED_VERSIONS + 1}`,
    [suiteId],
  );
  const versions = found.rows.slice(0, NAMED_VERSIONS).map((row) => row.version);
  const names = [...versions, ...(found.rows.length > NAMED_VERSIONS ? ['...'] : [])].join(', ');
  throw new ProblemError(422, `The suite has no stored version ${version}. There are: ${names}.`, [
    { path: '/suite_version', message: `is not one of ${names}` },
  ]).as('unknown_suite_version', { version, versions: names });
}

/** A version that something already pins. */
export async function readPinned(client: PoolClient, versionId: string): Promise<PinnedSuite> {
  const { rows } = await client.query<PinnedSuite>(
    `SELECT id AS "versionId", suite_id AS "suiteId", version, name,
       (SELECT count(*)::int FROM suite_version_case c WHERE c.version_id = v.id) AS "caseCount"
     FROM suite_version v WHERE id = $1`,
    [versionId],
  );
  return rows[0]!;
}

/**
 * Locks a version until the transaction ends, so that it is not removed before a run pins it (`removeUnusedVersions`).
 */
async function lockVersion(client: PoolClient, suiteId: string, version: number): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM suite_version WHERE suite_id = $1 AND version = $2 FOR KEY SHARE',
    [suiteId, version],
  );
  return rows[0]?.id;
}

/**
 * Copies the suite in one statement, which reads the suite and its cases in one snapshot.
 * @param version copied only while the suite has it; undefined: any
 * @returns the id of the copy; undefined when another transaction has copied it, or the suite has another version
 */
async function copySuite(client: PoolClient, suiteId: string, version?: number): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `WITH suite_now AS (SELECT * FROM suite WHERE id = $1 AND ($3::int IS NULL OR version = $3)), copy AS (
       INSERT INTO suite_version (id, suite_id, version, name, description, system_prompt, tools, pass_threshold, bytes)
       SELECT $2, id, version, name, description, system_prompt, tools, pass_threshold,
         case_bytes + octet_length(tools) + octet_length(description) + coalesce(octet_length(system_prompt), 0)
           + coalesce(octet_length(conversation), 0)
       FROM suite_now
       ON CONFLICT (suite_id, version) DO NOTHING RETURNING id
     ), cases AS (
       INSERT INTO suite_version_case (version_id, position, case_id, category, tags, body)
       SELECT copy.id, row_number() OVER (ORDER BY c.position, c.id) - 1, c.id, c.category, c.tags, c.body
       FROM suite_case c, copy WHERE c.suite_id = $1
     )
     SELECT id FROM copy`,
    [suiteId, newId(), version ?? null],
  );
  return rows[0]?.id;
}

export const noCases = ({ suiteId, name }: PinnedSuite): ProblemError =>
  new ProblemError(422, `The suite "${name}" has no test cases. Add one first.`).as('suite_empty', {
    suite_id: suiteId,
    name,
  });
