import { auditWork } from '../audit-work.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

const MAX_RETIRED_AT_ONCE = 100;
/** The version number of a version that is being removed: runs can no longer pin it. */
const RETIRED = -1;

/**
 * Removes a batch of the suite versions that are no longer pinned by a run, a rescore or a recording.
 * @returns whether there may be more
 */
export async function removeUnusedVersions(pool: Pool, pieceSize = 5000): Promise<boolean> {
  await retireVersions(pool);
  const { rowCount } = await pool.query(
    `DELETE FROM suite_version_case WHERE (version_id, position) IN (
       SELECT c.version_id, c.position FROM suite_version v JOIN suite_version_case c ON c.version_id = v.id
       WHERE v.version = ${RETIRED} LIMIT $1
     )`,
    [pieceSize],
  );
  if (rowCount) return true;
  await pool.query(
    `DELETE FROM suite_version v WHERE v.version = ${RETIRED}
       AND NOT EXISTS (SELECT 1 FROM suite_version_case c WHERE c.version_id = v.id)`,
  );
  return false;
}

/** SQL: nothing pins the version `v`. */
const UNUSED = `v.version <> ${RETIRED} AND NOT EXISTS (SELECT 1 FROM run r WHERE r.suite_version_id = v.id)
  AND NOT EXISTS (SELECT 1 FROM rescore r WHERE r.suite_version_id = v.id)
  AND NOT EXISTS (SELECT 1 FROM recording r WHERE r.suite_version_id = v.id)
  AND NOT EXISTS (SELECT 1 FROM orchestration o WHERE o.suite_version_id = v.id)`;

interface UnusedVersion {
  id: string;
  suiteId: string;
  version: number;
  /** Null for a suite that was deleted: its end is an entry already. */
  teamId: string | null;
}

/** One entry for all versions of a suite. */
async function auditRemoved(client: PoolClient, versions: readonly UnusedVersion[]): Promise<void> {
  for (const [suiteId, those] of Map.groupBy(versions, (version) => version.suiteId)) {
    const before = { versions: those.map(({ version }) => version).sort((a, b) => a - b) };
    const { teamId } = those[0]!;
    if (teamId !== null)
      await auditWork(client, teamId, 'suite.drop-versions', suiteId, { before, cause: 'no run uses them' });
  }
}

/**
 * Retires unused versions. The second statement checks again, because it sees versions that were pinned while the first
 * ran.
 */
async function retireVersions(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<UnusedVersion>(
      `SELECT v.id, v.suite_id AS "suiteId", v.version, (SELECT team_id FROM suite WHERE id = v.suite_id) AS "teamId"
       FROM suite_version v WHERE ${UNUSED} LIMIT $1 FOR UPDATE OF v SKIP LOCKED`,
      [MAX_RETIRED_AT_ONCE],
    );
    if (rows.length === 0) return;
    const { rows: retired } = await client.query<{ id: string }>(
      `UPDATE suite_version v SET suite_id = v.id, version = ${RETIRED} WHERE v.id = ANY ($1) AND ${UNUSED}
       RETURNING id`,
      [rows.map(({ id }) => id)],
    );
    await auditRemoved(
      client,
      rows.filter((version) => retired.some(({ id }) => id === version.id)),
    );
  });
}
