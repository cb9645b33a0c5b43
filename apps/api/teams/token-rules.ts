import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import type { Caller } from '#lib/db/catalogue/callers';

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/**
 * When a new token expires: as asked, or after the days of the installation; null for never.
 * @param latest when the token expires that asks for it, which makes none that outlives it
 * @throws ProblemError 422 for a time that is over, or after the latest
 */
export function expiryOf(asked: string | null | undefined, days: number, latest: Date | null = null): string | null {
  if (asked === undefined)
    return latest && latest.getTime() < Date.parse(inDays(days)) ? latest.toISOString() : inDays(days);
  if (latest && (asked === null || Date.parse(asked) > latest.getTime()))
    throw new ProblemError(422, 'A token makes none that expires after itself.', [
      { path: '/expires_at', message: `must be at most ${latest.toISOString()}` },
    ]);
  if (asked !== null && Date.parse(asked) <= Date.now())
    throw new ProblemError(422, 'The token would already be expired.', [
      { path: '/expires_at', message: 'must be in the future, or null for a token that does not expire' },
    ]);
  return asked;
}

/** @throws ProblemError 403 for a role above the caller's */
export function refuseRolesAbove(caller: Caller, role: Role): void {
  if (ROLES.indexOf(role) <= ROLES.indexOf(caller.role)) return;
  throw new ProblemError(403, `Your role is "${caller.role}": you cannot give "${role}".`).as('role_needed', {
    needed: role,
    role: caller.role,
  });
}
