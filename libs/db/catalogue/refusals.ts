import type { AuditAction } from '#lib/contracts/audit-actions';
import type { Pool } from '../connection/pool.js';

export type RefusalAction = Extract<AuditAction, `refused.${string}`>;

/** Refusals of one kind, of one caller, in one minute. */
export interface CountedRefusals {
  /** The same in every process, so that all count in one row. */
  id: string;
  action: RefusalAction;
  subject: string;
  at: Date;
  /** Null for nobody's: only the operator sees it. */
  teamId: string | null;
  userId: string | null;
  tokenId: string | null;
  sessionId: string | null;
  address: string | null;
  /** The last request. */
  requestId: string | null;
  count: number;
}

/** Adds refusals to those that are counted already. Rows are locked in the order of their ids. */
export async function countRefusals(pool: Pool, refusals: readonly CountedRefusals[]): Promise<void> {
  const rows = refusals.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const column = <Key extends keyof CountedRefusals>(key: Key) => rows.map((row) => row[key]);
  await pool.query(
    `INSERT INTO audit (id, action, subject, at, team_id, user_id, token_id, session_id, address, request_id, count)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::uuid[], $6::uuid[], $7::uuid[],
       $8::uuid[], $9::text[], $10::text[], $11::int[])
     ON CONFLICT (id) DO UPDATE SET count = audit.count + excluded.count, request_id = excluded.request_id`,
    [
      ...[column('id'), column('action'), column('subject'), column('at'), column('teamId'), column('userId')],
      ...[column('tokenId'), column('sessionId'), column('address'), column('requestId'), column('count')],
    ],
  );
}
