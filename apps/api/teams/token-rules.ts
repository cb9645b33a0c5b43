import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { isLimited, type Caller } from '#lib/db/catalogue/callers';

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/**
 * When a new token expires: as asked, or after the days of the installation; null for never.
 * @throws ProblemError 422 for a time that is over
 */
export function expiryOf(asked: string | null | undefined, days: number): string | null {
  if (asked === undefined) return inDays(days);
  if (asked !== null && Date.parse(asked) <= Date.now())
    throw new ProblemError(422, 'The token would already be expired.', [
      { path: '/expires_at', message: 'must be in the future, or null for a token that does not expire' },
    ]);
  return asked;
}

/** A token with limits lets nobody in, or it would lead to more than it has. @throws ProblemError 403 */
export function refuseLimits({ limits, tokenName }: Caller): void {
  if (!isLimited(limits)) return;
  throw new ProblemError(
    403,
    `The token "${tokenName}" has limits, so it cannot change who may come in, or with what. Use one without limits.`,
  ).as('token_limited', { token: tokenName });
}

/** @throws ProblemError 403 for a role above the caller's */
export function refuseRolesAbove(caller: Caller, role: Role): void {
  if (ROLES.indexOf(role) <= ROLES.indexOf(caller.role)) return;
  throw new ProblemError(403, `Your role is "${caller.role}": you cannot give "${role}".`).as('role_needed', {
    needed: role,
    role: caller.role,
  });
}
