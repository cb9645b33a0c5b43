import type { AuditAction } from '#lib/contracts/audit-actions';
import { writeEntry, type AuditedBy, type AuditedChange } from '../audit-work.js';
import type { Pool, PoolClient } from '../connection/pool.js';

/**
 * Records who changed what, in the transaction of the change.
 * @param action such as "provider.update"
 * @param subject the id or key
 */
export const audit = (
  db: Pool | PoolClient,
  actor: AuditedBy,
  action: AuditAction,
  subject: string,
  change: AuditedChange = {},
): Promise<void> => writeEntry(db, actor, action, subject, change);
