import type { ClientCertificate, HeaderKind } from '#lib/contracts/provider';
import type { ClientKeyPair } from '#lib/egress/authorities';
import type { KeyRefs } from '#lib/runtime/key-refs';
import type { Sealer } from '#lib/runtime/seal';
import type { z } from 'zod';

/** What of a header is not secret. */
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
  apiKeyRef: string | null;
  sealedHeaders: string | null;
  sealedClientCertificate: string | null;
}

/** How a provider is reached: what `Endpoint` of a dialect needs. */
export interface Access {
  baseUrl: string;
  apiKey: string | null;
  /** By name. Sent in addition to the headers of the format. */
  headers: Readonly<Record<string, string>>;
  clientCertificate: ClientKeyPair | null;
}

/**
 * Opens what is sealed.
 * @throws UnsealError when no key of the ring opens it, KeyRefProblem when its reference leads to no key
 */
export function openAccess(of: StoredAccess, { sealer, keyRefs }: { sealer: Sealer; keyRefs: KeyRefs }): Access {
  const open = (sealed: string | null, context: string): string | null => sealed && sealer.open(sealed, context);
  const headers = open(of.sealedHeaders, `${of.providerId} headers`);
  const certificate = open(of.sealedClientCertificate, `${of.providerId} certificate`);
  return {
    baseUrl: of.baseUrl,
    apiKey: of.apiKeyRef
      ? keyRefs.find(of.apiKeyRef, { teamId: of.teamId, origin: new URL(of.baseUrl).origin })
      : open(of.sealedKey, of.providerId),
    headers: headers ? (JSON.parse(headers) as Record<string, string>) : {},
    clientCertificate: certificate ? (JSON.parse(certificate) as ClientKeyPair) : null,
  };
}
