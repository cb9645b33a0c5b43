import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** The certificate (with its chain) and private key of a client, as PEM. */
export interface ClientKeyPair {
  certificate: string;
  privateKey: string;
}

/** Reading all authorities takes milliseconds, so connections without a client certificate share the last context. */
let shared: { extraCa: string; context: SecureContext } | undefined;

/** Whom a TLS connection trusts, and as whom. @returns undefined for Node's own: the system's authorities and nobody */
export function secureContextOf(
  extraCa: string | undefined,
  client: ClientKeyPair | undefined,
): SecureContext | undefined {
  const ca = extraCa === undefined ? undefined : [...getCACertificates('default'), extraCa];
  if (client) return createSecureContext({ cert: client.certificate, key: client.privateKey, ca });
  if (extraCa === undefined) return undefined;
  if (shared?.extraCa !== extraCa) shared = { extraCa, context: createSecureContext({ ca }) };
  return shared.context;
}

/** Whether an error of this code says that the other side's certificate cannot be trusted. */
export const isUntrusted = (code: string | undefined): boolean =>
  code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code);
