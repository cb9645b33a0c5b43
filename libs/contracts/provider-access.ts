import { ProblemError, type InputError } from './input/problem.js';
import type { ClientCertificate, HeaderKind } from './provider.js';
import type { z } from 'zod';

/** What of a provider's header is not secret. */
export interface StoredHeader {
  name: string;
  kind: z.infer<typeof HeaderKind>;
  /** HMAC of the value of a routing header. */
  digest?: string;
}
export type StoredCertificate = ClientCertificate & { publicKeySha256: string };

/** How a provider is reached, as stored. */
export interface StoredAccess {
  providerId: string;
  teamId: string;
  baseUrl: string;
  sealedKey: string | null;
  /** A key that is kept elsewhere. */
  apiKeyRef: string | null;
  /** JSON of `StoredHeader`s. */
  headers: string;
  sealedHeaders: string | null;
  sealedClientCertificate: string | null;
}

export const readStoredHeaders = (json: string): StoredHeader[] => JSON.parse(json) as StoredHeader[];

/**
 * The headers of a provider as far as they count for who shares limits and replies: the names of secret ones, names and
 * digests of routing ones, in the order of their names. Undefined without headers.
 */
export const countedHeaders = (headers: readonly StoredHeader[]): [name: string, digest?: string][] | undefined =>
  headers.length === 0
    ? undefined
    : headers
        .map(({ name, kind, digest }): [string, string?] =>
          kind === 'routing' ? [name.toLowerCase(), digest!] : [name.toLowerCase()],
        )
        .sort(([a], [b]) => (a < b ? -1 : 1));

/** Those of the connection and of the body, which the client sets by itself. */
const OF_THE_CLIENT = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'],
  ...['content-length', 'content-type', 'content-encoding', 'accept', 'accept-encoding'],
]);
const isOfTheClient = (name: string): boolean => OF_THE_CLIENT.has(name) || name.startsWith('proxy-');

/** Where hosts look for a key, by what they are called in lower case. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
export const isKeyHeader = (name: string): boolean => KEY_HEADERS.includes(name.toLowerCase());

/** The header, other than `authorization`, in which a format sends the key. */
const KEY_HEADER_OF_KIND: Record<string, string | undefined> = {
  anthropic: 'x-api-key',
  google: 'x-goog-api-key',
};

/** Maximum total size of the names and values of a provider's headers. */
const MAX_HEADERS_BYTES = 12 * 1024;

/**
 * Checks the headers of a provider together with its format and key.
 * @param of.values by name
 * @throws ProblemError 422
 */
export function checkHeaders(of: {
  kind: string;
  hasKey: boolean;
  headers: readonly StoredHeader[];
  values: Readonly<Record<string, string>>;
}): void {
  const errors = of.headers.flatMap((header, index): InputError[] => {
    const why = problemOf(header, index, of);
    return why ? [{ path: `/headers/${index}/name`, message: why }] : [];
  });
  if (errors.length > 0) {
    const { name } = of.headers[Number(errors[0]!.path.split('/')[2])]!;
    throw new ProblemError(422, `The header "${name}" ${errors[0]!.message}.`, errors);
  }
  const bytes = Object.entries(of.values).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > MAX_HEADERS_BYTES)
    throw new ProblemError(422, `The headers have ${bytes} bytes together, and ${MAX_HEADERS_BYTES} are allowed.`, [
      { path: '/headers', message: `must have at most ${MAX_HEADERS_BYTES} bytes together` },
    ]);
}

function problemOf(
  { name: written, kind }: StoredHeader,
  index: number,
  of: { kind: string; hasKey: boolean; headers: readonly StoredHeader[] },
): string | undefined {
  const name = written.toLowerCase();
  if (name === '__proto__') return 'is not a name that Toolmark can store';
  if (isOfTheClient(name)) return 'is set by Toolmark itself, and cannot be given';
  if (of.headers.findIndex((other) => other.name.toLowerCase() === name) < index) return 'is given twice';
  if (of.hasKey && (name === 'authorization' || name === KEY_HEADER_OF_KIND[of.kind]))
    return 'carries the key of the provider. Give it without a key (api_key null), or leave it out';
  if (isKeyHeader(name) && kind !== 'secret') return 'carries a key, so its kind must be "secret"';
  return undefined;
}
