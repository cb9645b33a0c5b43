import { inTransaction, type Pool } from '../connection/pool.js';

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

/**
 * Retires unused versions. The second statement checks again, because it sees versions that were pinned while the first
 * ran.
 */
async function retireVersions(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT v.id FROM suite_version v WHERE ${UNUSED} LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [MAX_RETIRED_AT_ONCE],
    );
    if (rows.length === 0) return;
    await client.query(
      `UPDATE suite_version v SET suite_id = v.id, version = ${RETIRED} WHERE v.id = ANY ($1) AND ${UNUSED}`,
      [rows.map(({ id }) => id)],
    );
  });
}
