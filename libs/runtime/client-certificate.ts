import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ClientCertificateInput } from '#lib/contracts/provider';
import { ProblemError } from '#lib/contracts/input/problem';
import type { StoredCertificate } from '#lib/contracts/provider-access';
import { sha256 } from './seal.js';

/** A client certificate: what it says about itself, and both of its parts as PEM. */
export interface ReadCertificate {
  facts: StoredCertificate;
  certificate: string;
  /** Without a passphrase. */
  privateKey: string;
}

/** @throws ProblemError 422 when the two parts are not those of one valid certificate */
export function readClientCertificate(given: ClientCertificateInput): ReadCertificate {
  const certificate = parse(given.certificate);
  const key = readKey(given);
  if (!certificate.checkPrivateKey(key)) throw fault('private_key', 'is not the key of this certificate');
  const { subject, issuer, validToDate, fingerprint256 } = certificate;
  if (validToDate.getTime() < Date.now()) throw fault('certificate', `ended at ${validToDate.toISOString()}`);
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }) as string;
  checkForTls(given.certificate, privateKey);
  return {
    facts: {
      subject: onOneLine(subject),
      issuer: onOneLine(issuer),
      expires_at: validToDate.toISOString(),
      sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
      publicKeySha256: sha256(certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')),
    },
    certificate: given.certificate,
    privateKey,
  };
}

/** The first certificate, which names the client. */
function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw fault('certificate', 'is not a certificate as PEM (-----BEGIN CERTIFICATE-----)');
  }
}

function readKey({ private_key: key, passphrase }: ClientCertificateInput): KeyObject {
  try {
    return createPrivateKey({ key, format: 'pem', passphrase: passphrase ?? '' });
  } catch {
    if (!/ENCRYPTED/.test(key)) throw fault('private_key', 'is not a private key as PEM (-----BEGIN PRIVATE KEY-----)');
    throw fault('passphrase', passphrase === undefined ? 'is needed for this private key' : 'does not open the key');
  }
}

/** Finds what only a connection would: a broken chain, or a key that is too short. */
function checkForTls(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw fault('certificate', `cannot be used for TLS (${(error as Error).message})`);
  }
}

/** OpenSSL writes a name in lines: `O=Example`, `CN=client`. */
const onOneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ').slice(0, 1000);

const fault = (field: string, why: string): ProblemError =>
  new ProblemError(422, `The client certificate cannot be used: ${FIELDS[field]} ${why}.`, [
    { path: `/client_certificate/${field}`, message: why },
  ]);
const FIELDS: Record<string, string> = {
  certificate: 'the certificate',
  private_key: 'the private key',
  passphrase: 'the passphrase',
};
