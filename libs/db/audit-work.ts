import type { AuditAction } from '#lib/contracts/audit-actions';
import { newId } from '#lib/runtime/ids';
import { changesBetween, type Change } from './audit-changes.js';
import type { Pool, PoolClient } from './connection/pool.js';

/** What was there before and after; without `before` it was created, without `after` deleted. */
export interface AuditedChange extends Change {
  /** Why it was done, if no caller wanted it: "retention", "a rule of sign-in". */
  cause?: string;
}

/** Who did it, with which request; nulls for what is not known. */
export interface AuditedBy {
  teamId: string | null;
  userId: string | null;
  tokenId?: string | null;
  sessionId?: string | null;
  request?: { id: string; address: string | null } | undefined;
}

/** Writes an entry of the audit, in the transaction of the change. `audit` and `auditWork` are for its callers. */
export async function writeEntry(
  db: Pool | PoolClient,
  { teamId, userId, tokenId, sessionId, request }: AuditedBy,
  action: AuditAction,
  subject: string,
  { before, after, cause }: AuditedChange,
): Promise<void> {
  await db.query(
    `INSERT INTO audit (id, team_id, user_id, token_id, session_id, address, request_id, action, subject, changes,
       cause)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[newId(), teamId, userId, tokenId ?? null, sessionId ?? null, request?.address ?? null, request?.id ?? null],
      ...[action, subject, before || after ? JSON.stringify(changesBetween({ before, after })) : null, cause ?? null],
    ],
  );
}

/** Records what a worker changed of a team, in the transaction of the change, and why: "job 0192...". */
export const auditWork = (
  db: Pool | PoolClient,
  teamId: string | null,
  action: AuditAction,
  subject: string,
  change: AuditedChange & { cause: string },
): Promise<void> => writeEntry(db, { teamId, userId: null }, action, subject, change);
