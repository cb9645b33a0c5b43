import { readStoredHeaders, type StoredAccess, type StoredHeader } from '#lib/contracts/provider-access';
import type { ClientKeyPair } from '#lib/egress/authorities';
import type { KeyRefs } from '#lib/runtime/key-refs';
import type { Sealer } from '#lib/runtime/seal';
import type { Endpoint } from './dialects/dialect.js';

/** Where secrets of providers come from. */
export interface Secrets {
  sealer: Sealer;
  keyRefs: KeyRefs;
}

/**
 * Opens what is sealed, and finds a key that is kept elsewhere.
 * @throws UnsealError when no key of the ring opens it, KeyRefProblem when its reference leads to no key
 */
export function openAccess(of: StoredAccess, { sealer, keyRefs }: Secrets): Endpoint {
  const open = (sealed: string | null, context: string): string | null => sealed && sealer.open(sealed, context);
  const sealedValues = open(of.sealedHeaders, `${of.providerId} headers`);
  const certificate = open(of.sealedClientCertificate, `${of.providerId} certificate`);
  const headers = sealedValues ? (JSON.parse(sealedValues) as Record<string, string>) : {};
  const valuesOf = (wanted: StoredHeader['kind']): string[] =>
    readStoredHeaders(of.headers).flatMap(({ name, kind }) => (kind === wanted ? [headers[name]!] : []));
  const secrets = valuesOf('secret').flatMap(partsOf);
  const routing = valuesOf('routing').filter((value) => value.length >= MIN_ROUTING_CHARACTERS);
  return {
    baseUrl: of.baseUrl,
    apiKey: of.apiKeyRef ? findKey(of, of.apiKeyRef, keyRefs) : open(of.sealedKey, of.providerId),
    headers,
    secrets: longestFirst(secrets),
    errorSecrets: longestFirst([...secrets, ...routing]),
    clientCertificate: certificate ? (JSON.parse(certificate) as ClientKeyPair) : null,
  };
}

/** The key that a reference leads to. @throws KeyRefProblem */
export const findKey = (
  { teamId, baseUrl }: Pick<StoredAccess, 'teamId' | 'baseUrl'>,
  ref: string,
  keyRefs: KeyRefs,
): string => keyRefs.find(ref, { teamId, origin: new URL(baseUrl).origin });

const longestFirst = (texts: readonly string[]): string[] => texts.toSorted((a, b) => b.length - a.length);

/** Shorter ones, such as the name of a region, are not secret to who reads an error, and say what is wrong. */
const MIN_ROUTING_CHARACTERS = 8;
/** Shorter words of a value say nothing. */
const MIN_PART_CHARACTERS = 12;

/** A secret value and its words: hosts repeat a token without its scheme, or one cookie of many. */
function partsOf(value: string): string[] {
  const words = value.split(/[\s;,]+/).flatMap((word) => [word, word.replace(/^[\w.-]+=(?=[^=])/, '')]);
  const [, scheme, token] = /^(Basic|Bearer) +(\S+)$/i.exec(value) ?? [];
  const pair = scheme?.toLowerCase() === 'basic' ? Buffer.from(token!, 'base64').toString() : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  const all = [value, token ?? '', pair, password, ...words.filter((word) => word.length >= MIN_PART_CHARACTERS)];
  return [...new Set(all.filter((part) => part !== ''))];
}
