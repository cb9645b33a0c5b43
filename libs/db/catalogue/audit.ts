import { newId } from '#lib/runtime/ids';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Caller } from './callers.js';

/** Records who changed what: `action` such as "provider.update", `subject` the id or key. */
export async function audit(
  db: Pool | PoolClient,
  caller: Pick<Caller, 'teamId' | 'userId'>,
  action: string,
  subject: string,
): Promise<void> {
  await db.query('INSERT INTO audit (id, team_id, user_id, action, subject) VALUES ($1, $2, $3, $4, $5)', [
    newId(),
    caller.teamId,
    caller.userId,
    action,
    subject,
  ]);
}
