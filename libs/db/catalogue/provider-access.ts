import type { StoredAccess } from '#lib/contracts/provider-access';
import type { Provider as ProviderRow } from '../generated/client.js';

/** How a provider is reached. */
export interface ProviderAccess extends StoredAccess {
  /** Another one: its address, format or credential was changed. */
  accessVersion: number;
}

/** SQL of how the provider `p` is reached (`ProviderAccess`). */
export const ACCESS_COLUMNS = `p.id AS "providerId", p.team_id AS "teamId", p.base_url AS "baseUrl",
  p.sealed_key AS "sealedKey", p.api_key_ref AS "apiKeyRef", p.headers, p.sealed_headers AS "sealedHeaders",
  p.sealed_client_certificate AS "sealedClientCertificate", p.access_version AS "accessVersion"`;

export const accessOf = (row: ProviderRow): ProviderAccess => ({
  providerId: row.id,
  teamId: row.team_id,
  baseUrl: row.base_url,
  sealedKey: row.sealed_key,
  apiKeyRef: row.api_key_ref,
  headers: row.headers,
  sealedHeaders: row.sealed_headers,
  sealedClientCertificate: row.sealed_client_certificate,
  accessVersion: row.access_version,
});
