import type { AuditAction } from '#lib/contracts/audit-actions';
import { newId } from '#lib/runtime/ids';
import type { Pool, PoolClient } from '../connection/pool.js';
import { changesBetween, type Change } from './audit-changes.js';
import type { Caller } from './callers.js';

/** Who did something: the caller of a request, or only their team and user where no request is known. */
export type Actor = Pick<Caller, 'teamId' | 'userId'> & Partial<Pick<Caller, 'tokenId' | 'sessionId' | 'request'>>;

/**
 * Records who changed what, in the transaction of the change.
 * @param action such as "provider.update"
 * @param subject the id or key
 * @param change what was there before and after; without `before` it was created, without `after` deleted
 */
export async function audit(
  db: Pool | PoolClient,
  { teamId, userId, tokenId, sessionId, request }: Actor,
  action: AuditAction,
  subject: string,
  change?: Change,
): Promise<void> {
  await db.query(
    `INSERT INTO audit (id, team_id, user_id, token_id, session_id, address, request_id, action, subject, changes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[newId(), teamId, userId, tokenId ?? null, sessionId ?? null, request?.address ?? null, request?.id ?? null],
      ...[action, subject, change ? JSON.stringify(changesBetween(change)) : null],
    ],
  );
}

/**
 * Records what a worker changed of a team, in the transaction of the change.
 * @param change with why, such as "job 0192..." or "retention"
 */
export async function auditWork(
  db: Pool | PoolClient,
  teamId: string | null,
  action: AuditAction,
  subject: string,
  { cause, ...change }: Change & { cause: string },
): Promise<void> {
  const changes = change.before || change.after ? JSON.stringify(changesBetween(change)) : null;
  await db.query('INSERT INTO audit (id, team_id, action, subject, changes, cause) VALUES ($1, $2, $3, $4, $5, $6)', [
    newId(),
    teamId,
    action,
    subject,
    changes,
    cause,
  ]);
}
