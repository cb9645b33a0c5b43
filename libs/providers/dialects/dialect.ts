import type { Note } from './note.js';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { isKeyHeader } from '#lib/contracts/provider-access';
import type { ClientKeyPair } from '#lib/egress/authorities';
import type { ReplyReader } from '../replies/model-reply.js';
import type { GuardedRequestInit, ReplyMemory } from '../guarded/reply-memory.js';
import type { NameRule } from './tool-names.js';

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Where requests go, and what they carry there. */
export interface Endpoint {
  baseUrl: string;
  apiKey: string | null;
  /** By name. Sent in addition to those of the format, and in place of those with the same name. */
  headers?: Readonly<Record<string, string>>;
  /** What is masked where the host repeats it, in addition to the key, the longest first. */
  secrets?: readonly string[];
  /** The same for errors, which nobody judges: they lose values that may be in a reply by chance, too. */
  errorSecrets?: readonly string[];
  clientCertificate?: ClientKeyPair | null;
}

/** Everything of an endpoint that is masked in what its host says. */
export const secretsOf = ({ apiKey, secrets = [] }: Pick<Endpoint, 'apiKey' | 'secrets'>): readonly string[] =>
  apiKey === null ? secrets : [apiKey, ...secrets];

/**
 * Everything of an endpoint that is masked in its errors.
 * @param minKeyCharacters a shorter key is none (`ollama`), and may be a word of the error
 */
export const errorSecretsOf = (
  { apiKey, errorSecrets = [] }: Pick<Endpoint, 'apiKey' | 'errorSecrets'>,
  minKeyCharacters: number,
): readonly string[] =>
  apiKey === null || apiKey.length < minKeyCharacters ? errorSecrets : [apiKey, ...errorSecrets];

/** @param options.replyMemory the memory reserved for the answer; passed to `fetch` along with the SDK's options */
type Send = (
  wire: JsonObject,
  options: { signal: AbortSignal; timeoutMs: number; replyMemory?: ReplyMemory },
) => Promise<Response>;

/** Passes the memory reserved for an answer through an SDK to `fetch`. */
export const fetchOptionsWith = (replyMemory: ReplyMemory | undefined): object =>
  replyMemory ? { fetchOptions: { replyMemory } satisfies GuardedRequestInit } : {};

/** A wire format. Everything outside a dialect uses OpenAI's chat completions for requests and replies. */
export interface Dialect {
  /** The tool names that its hosts accept. */
  nameRule: NameRule;
  /** Paths to the names of called tools in a response: keys, and `*` for each item of a list. */
  calledNamePaths: readonly string[];
  toWire(body: JsonObject): { wire: JsonObject; notes: Note[] };
  /**
   * Creates the function that sends requests through the format's own SDK. The first request loads the SDK. The
   * function throws what the SDK throws: an error with `status`, `headers` and `error` if there was a response.
   */
  connect(endpoint: Endpoint, fetch: Fetch): Send;
  fromWire: ReplyReader;
  modelList: ModelList;
  /** OpenTelemetry's name of its provider, if it differs from the kind. */
  traceName?: string;
}

/** How a format lists its models. The base URL may end in the version. */
export interface ModelList {
  path: { version: RegExp; rest: string };
  headers: (apiKey: string) => Record<string, string>;
  modelIds: (body: JsonObject) => string[];
}

export const idsInData = (body: JsonObject): string[] =>
  (Array.isArray(body.data) ? body.data : []).flatMap((model) =>
    isObject(model) && typeof model.id === 'string' ? [model.id] : [],
  );

/**
 * Sends only these headers, and those of the endpoint. SDKs add their own, and those they find in the environment, even
 * to hosts that a user chose.
 */
export const onlyHeaders =
  (fetch: Fetch, names: readonly string[], endpoint: Endpoint): Fetch =>
  (url, init = {}) => {
    const given = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const headers = Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)!]] : [])));
    return fetch(url, { ...init, ...withAccess(headers, endpoint) });
  };

/**
 * What requests to an endpoint carry: the headers of the format, its own, and its client certificate. SDKs send a dummy
 * in place of a missing key. It is left out for an endpoint with headers of its own: the key may be one of them, or the
 * gateway's, which would rather have none than a wrong one.
 * @param headers names in lower case
 */
export function withAccess(
  headers: Record<string, string>,
  endpoint: Endpoint,
): Pick<GuardedRequestInit, 'clientCertificate' | 'secrets'> & { headers: Record<string, string> } {
  const { apiKey, headers: own = {}, clientCertificate } = endpoint;
  const entries = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const);
  const isDummy = (name: string): boolean => apiKey === null && entries.length > 0 && isKeyHeader(name);
  const ofFormat = Object.entries(headers).filter(([name]) => !isDummy(name));
  return {
    headers: Object.fromEntries([...ofFormat, ...entries]),
    secrets: errorSecretsOf(endpoint, 12),
    ...(clientCertificate && { clientCertificate }),
  };
}

/** Longer than the caller's timeout, so that the caller's own timer ends a request. */
export const sdkTimeoutMs = (timeoutMs: number): number => timeoutMs + 60_000;

/**
 * Removes parameters that a format does not support. A parameter without effect (`n: 1`, a penalty of 0) gets no note.
 */
export function dropUnsupported(params: JsonObject, names: readonly string[], format: string, notes: Note[]): void {
  for (const name of names) {
    const value = params[name];
    if (value === undefined) continue;
    delete params[name];
    const asksNothing =
      name === 'parallel_tool_calls'
        ? value === true
        : value === false || (name === 'n' && value === 1) || (name.endsWith('penalty') && value === 0);
    if (value === null || asksNothing) continue;
    notes.push({ what: name, message: `${format} has no "${name}"; it was left out.` });
  }
}
