import { ProblemError } from '#lib/contracts/input/problem';
import { whyNoCaller, type Credential } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';

/** The refusal of a credential that has no caller, with the way out. */
export async function refusalOf(pool: Pool, credential: Credential): Promise<ProblemError> {
  const found = await whyNoCaller(pool, credential);
  if (found.why === 'expired')
    return new ProblemError(
      401,
      `The token "${found.tokenName}" expired on ${found.expiredAt.toISOString().slice(0, 10)}. ` +
        'Sign in, or ask an owner of your team for another one.',
    ).as('token_expired');
  if (found.why === 'removed')
    return new ProblemError(401, `The user of this token is no longer in the team "${found.teamName}".`);
  if (found.why === 'not-in-team')
    return new ProblemError(403, 'You are not in this team, or no longer.').as('not_in_team');
  return new ProblemError(
    401,
    credential.kind === 'token' ? 'The token is unknown, revoked or expired.' : 'The session has ended. Sign in again.',
  );
}
