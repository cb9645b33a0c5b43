import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Me } from '#lib/contracts/team';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool, PoolClient } from '#lib/db/connection/pool';

type Me = z.infer<typeof Me>;

interface MeRow {
  email: string | null;
  signsIn: boolean;
  tokenExpiresAt: Date | null;
  provider: string | null;
  sessionExpiresAt: Date | null;
}

export async function meOf(db: Pool | PoolClient, caller: Caller): Promise<Me> {
  const { rows } = await db.query<MeRow>(
    `SELECT p.email, p.issuer IS NOT NULL AS "signsIn", k.expires_at AS "tokenExpiresAt", s.provider,
       s.expires_at AS "sessionExpiresAt"
     FROM (SELECT 1) one LEFT JOIN person p ON p.id = $1 LEFT JOIN token k ON k.id = $2
       LEFT JOIN session s ON s.id = $3`,
    [caller.personId, caller.tokenId, caller.sessionId],
  );
  const row = rows[0]!;
  // The caller of a read may be some seconds old.
  if (caller.sessionId !== null && row.sessionExpiresAt === null)
    throw new ProblemError(401, 'The session has ended. Sign in again.');
  const { limits } = caller;
  return {
    team: { id: caller.teamId, name: caller.teamName },
    user: { id: caller.userId, name: caller.userName },
    role: caller.role,
    person: { id: caller.personId, kind: caller.personKind, email: row.email, signs_in: row.signsIn ?? false },
    token:
      caller.tokenId === null
        ? null
        : {
            id: caller.tokenId,
            name: caller.tokenName!,
            expires_at: row.tokenExpiresAt?.toISOString() ?? null,
            reads_only: limits.readsOnly,
            suite_ids: limits.suiteIds === null ? null : [...limits.suiteIds],
            monthly_cap_usd: limits.monthlyCapUsd,
          },
    session:
      caller.sessionId === null
        ? null
        : {
            id: caller.sessionId,
            provider: row.provider,
            expires_at: row.sessionExpiresAt!.toISOString(),
          },
  };
}
