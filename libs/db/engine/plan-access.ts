import { ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { ProviderHeaderPatch, ProviderPatch } from '#lib/contracts/provider';
import {
  checkHeaders,
  countedHeaders,
  isKeyHeader,
  readStoredHeaders,
  type StoredCertificate,
  type StoredHeader,
} from '#lib/contracts/provider-access';
import { readClientCertificate, type ReadCertificate } from '#lib/runtime/client-certificate';
import { KeyRefProblem, type KeyRefs } from '#lib/runtime/key-refs';
import type { Sealer } from '#lib/runtime/seal';
import type { Provider as ProviderRow } from '../generated/client.js';

/** The columns of a provider that say how it is reached, apart from its format. */
type AccessColumns = Pick<
  ProviderRow,
  | 'base_url'
  | 'sealed_key'
  | 'key_last4'
  | 'api_key_ref'
  | 'headers'
  | 'sealed_headers'
  | 'client_certificate'
  | 'sealed_client_certificate'
>;
/** A provider that is to be changed, or that is to be made. */
export type AccessBefore = AccessColumns & Pick<ProviderRow, 'id' | 'team_id' | 'kind'>;

/** The fields of a change that say how a provider is reached. */
type AccessPatch = Pick<ProviderPatch, 'base_url' | 'api_key' | 'api_key_ref' | 'headers' | 'kind'> & {
  client_certificate?: ReadCertificate | null | undefined;
};

/**
 * Reads the client certificate of a change. This takes time, so it is done before anything is locked.
 * @throws ProblemError 422
 */
export const readAccess = <Patch extends Pick<ProviderPatch, 'client_certificate'>>(
  patch: Patch,
): Omit<Patch, 'client_certificate'> & Pick<AccessPatch, 'client_certificate'> => ({
  ...patch,
  client_certificate: patch.client_certificate && readClientCertificate(patch.client_certificate),
});

export const NO_ACCESS: Omit<AccessColumns, 'base_url'> = {
  sealed_key: null,
  key_last4: null,
  api_key_ref: null,
  headers: '[]',
  sealed_headers: null,
  client_certificate: null,
  sealed_client_certificate: null,
};

/** Whether a change says something about the address or the credential, so that the lane may be another. */
export const isAccessGiven = ({ base_url, api_key, api_key_ref, headers, client_certificate }: AccessPatch): boolean =>
  [base_url, api_key, api_key_ref, headers, client_certificate].some((field) => field !== undefined);

/** Whether only workers of level 8 know how to reach a provider. */
export const needsLaterWorkers = ({
  headers,
  api_key_ref,
  client_certificate,
}: Pick<AccessColumns, 'headers' | 'api_key_ref' | 'client_certificate'>): boolean =>
  headers !== '[]' || api_key_ref !== null || client_certificate !== null;

/**
 * How a provider is reached after a change: what is stored of it, and the fingerprint of its lane. What stays is opened
 * only where it has to be known: a secret that can no longer be opened can be replaced.
 */
export class AccessPlan {
  readonly columns: AccessColumns;
  readonly #kind: string;
  readonly #keyNow: () => string | null;
  readonly #valuesNow: () => Record<string, string>;

  /**
   * @throws ProblemError 422 when the parts do not fit together, or a secret would go to an origin for which it was not
   *   entered; UnsealError
   */
  constructor(
    readonly before: AccessBefore,
    patch: AccessPatch,
    readonly deps: { sealer: Sealer; keyRefs: KeyRefs },
  ) {
    refuseAtOtherOrigin(before, patch);
    const baseUrl = patch.base_url ?? before.base_url;
    const key = this.#planKey(patch);
    const headers = this.#planHeaders(patch.headers);
    this.#kind = patch.kind ?? before.kind;
    this.#keyNow = key.now;
    this.#valuesNow = headers.now;
    this.columns = { base_url: baseUrl, ...key.columns, ...headers.columns, ...this.#planCertificate(patch) };
    this.#check(patch);
  }

  /**
   * The fingerprint of the lane. A credential at an origin has one set of limits at the provider, however many
   * providers use it. Of a provider without headers, reference and certificate it is what it was in earlier releases.
   */
  fingerprint(): string {
    const { base_url: baseUrl, api_key_ref: ref, client_certificate: certificate } = this.columns;
    const headers = readStoredHeaders(this.columns.headers);
    const more = needsLaterWorkers(this.columns)
      ? [
          JSON.stringify([
            countedHeaders(headers) ?? [],
            ref,
            certificate && (JSON.parse(certificate) as StoredCertificate).publicKeySha256,
          ]),
        ]
      : [];
    const credential = this.#keyNow() ?? (ref === null ? this.#keyInHeaders(headers) : '');
    return this.deps.sealer.fingerprint('credential', new URL(baseUrl).origin, credential, ...more);
  }

  /** Values of headers that take the place of a key. */
  #keyInHeaders(headers: readonly StoredHeader[]): string {
    const names = headers.map(({ name }) => name).filter(isKeyHeader);
    if (names.length === 0) return '';
    const values = this.#valuesNow();
    return names
      .sort()
      .map((name) => values[name])
      .join('\n');
  }

  #planKey({ api_key: apiKey, api_key_ref: ref }: AccessPatch): {
    columns: Pick<AccessColumns, 'sealed_key' | 'key_last4' | 'api_key_ref'>;
    now: () => string | null;
  } {
    const { before } = this;
    const { sealer } = this.deps;
    if (apiKey && ref) throw refusal('/api_key_ref', 'takes the place of a key. Give one of the two.');
    const newRef = ref !== undefined ? ref : apiKey !== undefined ? null : before.api_key_ref;
    const isKept = apiKey === undefined && newRef === null;
    if (isKept) {
      const { sealed_key, key_last4 } = before;
      return {
        columns: { sealed_key, key_last4, api_key_ref: null },
        now: () => sealed_key && sealer.open(sealed_key, before.id),
      };
    }
    const key = apiKey ?? null;
    return {
      columns: {
        sealed_key: key && sealer.seal(key, before.id),
        key_last4: key !== null && key.length >= 12 ? key.slice(-4) : null,
        api_key_ref: newRef,
      },
      now: () => key,
    };
  }

  #planHeaders(given: readonly ProviderHeaderPatch[] | undefined): {
    columns: Pick<AccessColumns, 'headers' | 'sealed_headers'>;
    now: () => Record<string, string>;
  } {
    const { before } = this;
    const { sealer } = this.deps;
    const context = `${before.id} headers`;
    const stored = readStoredHeaders(before.headers);
    const open = (): Record<string, string> =>
      before.sealed_headers === null
        ? {}
        : (JSON.parse(sealer.open(before.sealed_headers, context)) as Record<string, string>);
    if (!given) return { columns: { headers: before.headers, sealed_headers: before.sealed_headers }, now: open };
    const isAnyKept = given.some(({ value }) => value === undefined);
    const known = isAnyKept ? open() : {};
    const headers: StoredHeader[] = [];
    const values: Record<string, string> = {};
    for (const [index, header] of given.entries()) {
      const old = stored.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
      const kind = header.kind ?? old?.kind ?? 'secret';
      const value = header.value ?? keptValue(index, header.name, kind, old, known);
      values[header.name] = value;
      const digest =
        kind === 'routing' ? { digest: sealer.fingerprint('header', header.name.toLowerCase(), value) } : {};
      headers.push({ name: header.name, kind, ...digest });
    }
    const text = JSON.stringify(headers);
    const isSame = isAnyKept && text === before.headers && JSON.stringify(values) === JSON.stringify(known);
    const sealed = headers.length === 0 ? null : sealer.seal(JSON.stringify(values), context);
    return { columns: { headers: text, sealed_headers: isSame ? before.sealed_headers : sealed }, now: () => values };
  }

  #planCertificate({
    client_certificate: given,
  }: AccessPatch): Pick<AccessColumns, 'client_certificate' | 'sealed_client_certificate'> {
    const { client_certificate, sealed_client_certificate, id } = this.before;
    if (given === undefined) return { client_certificate, sealed_client_certificate };
    if (given === null) return { client_certificate: null, sealed_client_certificate: null };
    const { facts, ...pair } = given;
    return {
      client_certificate: JSON.stringify(facts),
      sealed_client_certificate: this.deps.sealer.seal(JSON.stringify(pair), `${id} certificate`),
    };
  }

  #check(patch: AccessPatch): void {
    const { base_url: baseUrl, sealed_key, api_key_ref: ref, headers, client_certificate: certificate } = this.columns;
    const { origin, protocol } = new URL(baseUrl);
    if (certificate !== null && protocol !== 'https:')
      throw refusal('/client_certificate', 'needs a base_url of https: without TLS nobody asks for it.');
    if (patch.headers || headers !== '[]') {
      const values = patch.headers ? this.#valuesNow() : {};
      const hasKey = sealed_key !== null || ref !== null;
      checkHeaders({ kind: this.#kind, hasKey, headers: readStoredHeaders(headers), values });
    }
    if (ref === null || (patch.api_key_ref === undefined && patch.base_url === undefined)) return;
    try {
      this.deps.keyRefs.find(ref, { teamId: this.before.team_id, origin });
    } catch (error) {
      if (!(error instanceof KeyRefProblem)) throw error;
      throw new ProblemError(422, error.message, [{ path: '/api_key_ref', message: error.message }]);
    }
  }
}

/** The value that a header had before. @throws ProblemError 422 */
function keptValue(
  index: number,
  name: string,
  kind: StoredHeader['kind'],
  old: StoredHeader | undefined,
  known: Readonly<Record<string, string>>,
): string {
  const path = `/headers/${index}/value`;
  if (!old)
    throw new ProblemError(422, `The header "${name}" is new, so it needs a value.`, [
      { path, message: 'must be given for a new header' },
    ]);
  if (old.kind === 'secret' && kind === 'routing')
    throw new ProblemError(422, `The value of "${name}" was entered as a secret. Give it again to make it routing.`, [
      { path, message: 'must be given again, as it was entered as a secret' },
    ]);
  return known[old.name]!;
}

const refusal = (path: string, message: string): ProblemError =>
  new ProblemError(422, `${path.slice(1)} ${message}`, [{ path, message }]);

/** Otherwise, anyone who may change an address could have the secrets sent to an address of their own. */
function refuseAtOtherOrigin(before: AccessBefore, patch: AccessPatch): void {
  if (!patch.base_url) return;
  const { origin } = new URL(patch.base_url);
  if (origin === new URL(before.base_url).origin) return;
  const kept = keptSecrets(before, patch);
  if (kept.length === 0) return;
  const isOne = kept.length === 1 && kept[0]!.isOne;
  const all = kept.map(({ what }) => what).join(' and ');
  throw new ProblemError(
    422,
    `${all[0]!.toUpperCase()}${all.slice(1)} ${isOne ? 'was' : 'were'} entered for another origin and ` +
      `${isOne ? 'does' : 'do'} not move to ${origin} with the address. Enter ${isOne ? all : 'them'} again together ` +
      `with the address, or remove ${isOne ? 'it' : 'them'} if the endpoint needs none.`,
    kept.flatMap(({ errors }) => errors),
  );
}

function keptSecrets(
  before: AccessBefore,
  patch: AccessPatch,
): { what: string; isOne: boolean; errors: InputError[] }[] {
  const must = (path: string, otherwise: string): InputError => ({
    path,
    message: `must be given with a base_url of another origin; ${otherwise}`,
  });
  const { api_key: apiKey, api_key_ref: ref, headers, client_certificate: certificate } = patch;
  const withoutValue = (headers ?? []).flatMap(({ value }, index) => (value === undefined ? [index] : []));
  const hasHeaders = before.headers !== '[]' && (!headers || withoutValue.length > 0);
  return [
    ...(before.sealed_key !== null && apiKey === undefined && !ref
      ? [{ what: 'the key', isOne: true, errors: [must('/api_key', 'null for an endpoint without a key')] }]
      : []),
    ...(before.api_key_ref !== null && apiKey === undefined && ref === undefined
      ? [{ what: 'the reference', isOne: true, errors: [must('/api_key_ref', 'null for an endpoint without a key')] }]
      : []),
    ...(hasHeaders
      ? [
          {
            what: 'the headers',
            isOne: false,
            errors: headers
              ? withoutValue.map((index) => must(`/headers/${index}/value`, 'leave the header out to remove it'))
              : [must('/headers', '[] for an endpoint without headers')],
          },
        ]
      : []),
    ...(before.client_certificate !== null && certificate === undefined
      ? [
          {
            what: 'the client certificate',
            isOne: true,
            errors: [must('/client_certificate', 'null for an endpoint without one')],
          },
        ]
      : []),
  ];
}
