import type { ConversationDefaults } from '#lib/contracts/conversation';
import { nullableJsonColumn } from '../connection/json-column.js';
import type { Pool, PoolClient } from '../connection/pool.js';

/**
 * What the conversations of a suite's version have in common; null for nothing. Callers have the id of the version from
 * a run of their team.
 */
export async function readConversationDefaults(
  db: Pool | PoolClient,
  versionId: string,
): Promise<ConversationDefaults | null> {
  const { rows } = await db.query<{ conversation: string | null }>(
    'SELECT conversation FROM suite_version WHERE id = $1',
    [versionId],
  );
  return nullableJsonColumn<ConversationDefaults>(rows[0]?.conversation ?? null);
}
