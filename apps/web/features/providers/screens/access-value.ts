import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';

/**
 * How an endpoint is asked. It is not part of the stored form: its secrets do not survive a reload. Undefined stands
 * for what is stored, null for none.
 */
export interface Access {
  apiKey?: string | null;
  keyRef?: string | null;
  headers?: readonly HeaderRow[];
  certificate?: CertificateFiles | null;
}
export type StoredAccess = Pick<
  Provider,
  'base_url' | 'api_key_set' | 'api_key_last4' | 'api_key_ref' | 'headers' | 'client_certificate'
>;
export interface HeaderRow {
  /** Tells rows apart while they are edited. */
  id: number;
  name: string;
  kind: 'secret' | 'routing';
  /** Empty: the stored value of this name. */
  value: string;
}
/** Each as PEM. */
export interface CertificateFiles {
  certificate?: string;
  private_key?: string;
  passphrase?: string;
}

/** The headers as stored, or as edited. Servers of earlier releases have none. */
export const headersOf = (access: Access, { headers = [] }: Partial<StoredAccess> = {}): readonly HeaderRow[] =>
  access.headers ?? headers.map((header, id) => ({ ...header, id, value: '' }));

/** The reference that is chosen; '' for none. */
export const refOf = ({ apiKey, keyRef }: Access, stored: Partial<StoredAccess> = {}): string =>
  (keyRef === undefined && apiKey === undefined ? stored.api_key_ref : keyRef) ?? '';

/** Whether a stored value goes with the name of a header. */
export const isStoredHeader = (name: string, { headers = [] }: Partial<StoredAccess> = {}): boolean =>
  headers.some((one) => one.name.toLowerCase() === name.toLowerCase());

/** The fields of a request. What stays as stored is left out. Headers are one list; another key ends a reference. */
export function accessRequest({ apiKey, keyRef, headers, certificate }: Access): JsonObject {
  return {
    ...(apiKey !== undefined && { api_key: apiKey?.trim() ?? null }),
    ...(keyRef !== undefined && typeof apiKey !== 'string' && { api_key_ref: keyRef }),
    ...(headers && {
      headers: headers.map(({ name, kind, value }) => ({ name, kind, ...(value !== '' && { value }) })),
    }),
    ...(certificate !== undefined && { client_certificate: certificate && { ...certificate } }),
  };
}

/**
 * What has to be given again, or removed, because the address leads to another origin than the stored one: what
 * is sent to one host never goes to another by itself.
 */
export function neededAgain(url: string, access: Access, stored: StoredAccess): string[] {
  const origin = originOf(url);
  if (origin === undefined || origin === originOf(stored.base_url)) return [];
  const { api_key_set: hasKey, api_key_ref: ref, client_certificate: certificate } = stored;
  const isUntouched = access.apiKey === undefined && access.keyRef === undefined;
  return [
    ...(isUntouched && ref ? ['the reference to a key'] : []),
    ...(isUntouched && hasKey && !ref ? ['the API key'] : []),
    ...headersOf(access, stored)
      .filter(({ name, value }) => value === '' && isStoredHeader(name, stored))
      .map(({ name }) => `the header ${name}`),
    ...(access.certificate === undefined && certificate ? ['the client certificate'] : []),
  ];
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
