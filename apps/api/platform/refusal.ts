import { ProblemError } from '#lib/contracts/input/problem';
import type { ProblemCode } from '#lib/contracts/problem-codes';
import { whyNoCaller, type Credential, type TokenOwner } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';

/** The refusal of a credential. */
export class RefusedCredential extends ProblemError {
  /** @param owner whose it was, if that is known */
  constructor(status: 401 | 403, detail: string, { code, owner }: { code?: ProblemCode; owner?: TokenOwner } = {}) {
    super(status, detail, undefined, undefined, { ...(code && { code }) });
    this.owner = owner;
  }

  readonly owner: TokenOwner | undefined;
}

/** The refusal of a credential that has no caller, with the way out. */
export async function refusalOf(pool: Pool, credential: Credential): Promise<RefusedCredential> {
  const found = await whyNoCaller(pool, credential);
  if (found.why === 'expired')
    return new RefusedCredential(
      401,
      `The token "${found.tokenName}" expired on ${found.expiredAt.toISOString().slice(0, 10)}. ` +
        'Sign in, or ask an owner of your team for another one.',
      { code: 'token_expired', owner: found.owner },
    );
  if (found.why === 'removed')
    return new RefusedCredential(401, `The user of this token is no longer in the team "${found.teamName}".`, {
      owner: found.owner,
    });
  if (found.why === 'not-in-team')
    return new RefusedCredential(403, 'You are not in this team, or no longer.', { code: 'not_in_team' });
  return new RefusedCredential(
    401,
    credential.kind === 'token' ? 'The token is unknown, revoked or expired.' : 'The session has ended. Sign in again.',
  );
}
