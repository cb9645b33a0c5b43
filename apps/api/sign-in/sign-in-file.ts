import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { decodeText } from '#lib/contracts/input/decode-text';
import type { InputError } from '#lib/contracts/input/problem';
import { ROLES } from '#lib/contracts/values/team';
import { describeFaults, readSettings } from '#lib/runtime/settings-file';
import { isLoopback } from './is-loopback.js';

const MAX_BYTES = 256 * 1024;

/** A file of providers that cannot be used. */
export class SignInFault extends Error {}

/** By default, zod checks fields together only once each of them is right. */
const isObjectHere = ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null;
const countOf = (...values: unknown[]): number => values.filter((value) => value !== undefined).length;

const text = (max: number) => z.string().trim().min(1).max(max);
const Rule = z
  .strictObject({
    group: text(300).optional(),
    domain: z
      .string()
      .toLowerCase()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain such as example.com')
      .optional(),
    claim: text(300).optional(),
    value: z.union([text(300), z.number(), z.boolean()]).optional(),
    team: text(100),
    role: z.enum(ROLES),
  })
  .refine(({ group, domain, claim, value }) => countOf(group, domain, claim ?? value) === 1, {
    error: 'must have exactly one of "group", "domain", or "claim" with "value"',
    when: isObjectHere,
  })
  .refine(({ claim, value }) => (claim === undefined) === (value === undefined), {
    error: 'needs both "claim" and "value"',
    when: isObjectHere,
  });
export type Rule = z.infer<typeof Rule>;

/** What Toolmark itself sends. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]);
const Parameters = z.record(text(100), z.string().max(1000)).superRefine((parameters, context) => {
  for (const name of Object.keys(parameters))
    if (OWN_PARAMETERS.has(name)) context.addIssue({ code: 'custom', path: [name], message: 'is set by Toolmark' });
});

const Issuer = z.string().superRefine((issuer, context) => {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) context.addIssue('must be an https URL; http is for this machine only');
  else if (url!.search || url!.hash || url!.username || url!.password)
    context.addIssue('must be a URL without a query, a fragment or a password');
});

const Scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/, 'must be one scope, without spaces');
const Provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must have 1 to 40 small letters, digits and hyphens'),
    name: text(100),
    issuer: Issuer,
    client_id: text(500),
    client_secret: text(2000).optional(),
    client_secret_file: text(4096).optional(),
    scopes: z.array(Scope).max(50).default(['profile', 'email']),
    parameters: Parameters.default({}),
    groups_claim: text(300).default('groups'),
    reread_minutes: z.int().min(1).max(10_080).default(60),
    rules: z.array(Rule).max(500).default([]),
  })
  .refine(({ client_secret, client_secret_file }) => countOf(client_secret, client_secret_file) === 1, {
    error: 'must have exactly one of "client_secret" and "client_secret_file"',
    when: isObjectHere,
  });
const SignInFile = z.strictObject({ providers: z.array(Provider).min(1).max(20) }).superRefine(refuseTwins);

/** Two entries with one issuer would each take away what the other gives: a person is known by issuer and subject. */
function refuseTwins({ providers }: { providers: { id: string; issuer: string }[] }, context: z.RefinementCtx): void {
  for (const key of ['id', 'issuer'] as const)
    for (const [index, provider] of providers.entries())
      if (providers.findIndex((other) => other[key] === provider[key]) < index)
        context.addIssue({ code: 'custom', path: ['providers', index, key], message: 'is taken by another entry' });
}

/** A provider of sign-in, as the operator has set it. */
export type SignInSettings = Omit<z.infer<typeof Provider>, 'client_secret' | 'client_secret_file' | 'scopes'> & {
  client_secret: string;
  /** As sent to the provider. */
  scope: string;
  /** The callback that is registered at the provider. */
  redirect_uri: string;
};

/**
 * Reads TOOLMARK_SIGN_IN_FILE, and the secrets that it names, once.
 * @throws SignInFault that names every wrong place
 */
export function readSignInFile(file: string | undefined, publicUrl: string | undefined): SignInSettings[] {
  if (file === undefined) return [];
  const errors: InputError[] = [];
  const providers = readProviders(file, errors).map(
    ({ client_secret, client_secret_file, scopes, ...provider }, n) => ({
      ...provider,
      client_secret:
        client_secret ??
        readSecret(resolve(dirname(file), client_secret_file!), `/providers/${n}/client_secret_file`, errors),
      scope: [...new Set(['openid', ...scopes])].join(' '),
      redirect_uri: `${(publicUrl ?? '').replace(/\/$/, '')}/api/sign-in/${provider.id}/callback`,
    }),
  );
  if (publicUrl === undefined)
    errors.push({
      path: '/TOOLMARK_PUBLIC_URL',
      message: 'must be set: it is a part of the callback of each provider',
    });
  if (errors.length === 0) return providers;
  throw new SignInFault(describeFaults(`The providers of sign-in in ${file} cannot be used:`, errors));
}

function readProviders(file: string, errors: InputError[]): z.infer<typeof Provider>[] {
  const found = readText(file);
  const settings =
    'fault' in found ? { errors: [{ path: '', message: found.fault }] } : readSettings(found.text, SignInFile);
  if ('data' in settings) return settings.data.providers;
  errors.push(...settings.errors);
  return [];
}

function readSecret(file: string, path: string, errors: InputError[]): string {
  const found = readText(file);
  const secret = 'text' in found ? found.text.trim() : '';
  if (secret === '')
    errors.push({ path, message: 'fault' in found ? `names ${file}, which ${found.fault}` : `names an empty file` });
  return secret;
}

function readText(file: string): { text: string } | { fault: string } {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile()) return { fault: stats ? 'is not a file' : 'does not exist' };
    if (stats.size > MAX_BYTES) return { fault: `has ${stats.size} bytes; at most ${MAX_BYTES} are read` };
    return { text: decodeText(readFileSync(file), { name: 'It', isUtf8: true }) };
  } catch (error) {
    return { fault: `cannot be read: ${(error as Error).message}` };
  }
}
