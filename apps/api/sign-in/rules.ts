import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import type { GivenMembership } from '#lib/db/catalogue/sign-in';
import type { Rule, SignInSettings } from './sign-in-file.js';

/** Claims of an ID token or of userinfo. */
export type Claims = Record<string, unknown>;
type RuleSettings = Pick<SignInSettings, 'issuer' | 'groups_claim' | 'rules'>;

/** The teams that the rules give a person with these claims, each with the highest role. */
export function membershipsOf(settings: RuleSettings, claims: Claims): GivenMembership[] {
  const roles = new Map<string, Role>();
  for (const { team, role } of settings.rules.filter((rule) => matches(rule, settings, claims))) {
    const given = roles.get(team);
    if (given === undefined || ROLES.indexOf(role) > ROLES.indexOf(given)) roles.set(team, role);
  }
  return [...roles].map(([team, role]) => ({ team, role }));
}

function matches({ group, domain, claim, value }: Rule, settings: RuleSettings, claims: Claims): boolean {
  if (group !== undefined) return valuesOf(claims, settings.groups_claim).includes(group);
  if (domain !== undefined) return domainOf(settings.issuer, claims) === domain;
  return valuesOf(claims, claim!).includes(String(value));
}

/**
 * The domain that a person belongs to. An address that the provider has not verified may be anybody's. At Google, even
 * a verified one may be that of a private account, so only the claim `hd` counts, which Google gives for its Workspace.
 */
function domainOf(issuer: string, { hd, email, email_verified }: Claims): string | undefined {
  if (isGoogle(issuer)) return typeof hd === 'string' ? hd.toLowerCase() : undefined;
  if (email_verified !== true || typeof email !== 'string' || !email.includes('@')) return undefined;
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

const isGoogle = (issuer: string): boolean => new URL(issuer).hostname === 'accounts.google.com';

/** The claims that the rules ask for. */
export function claimsOfRules({ issuer, groups_claim, rules }: RuleSettings): string[] {
  const names = rules.flatMap(({ group, domain, claim }) => {
    if (group !== undefined) return [groups_claim];
    if (domain !== undefined) return isGoogle(issuer) ? ['hd'] : ['email', 'email_verified'];
    return [claim!];
  });
  return [...new Set(names)];
}

/** The value of a claim: by its name, or by names joined with dots, such as `realm_access.roles`. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? (value as Claims)[part] : undefined,
      claims,
    );
}

function valuesOf(claims: Claims, name: string): string[] {
  const value = claimOf(claims, name);
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    ['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : [],
  );
}
