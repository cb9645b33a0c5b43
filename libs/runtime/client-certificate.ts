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

const KEY_TYPES: (string | undefined)[] = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];
/** Each connection signs with it. */
const MAX_MODULUS_BITS = 8192;
/** OpenSSL makes 2,048. A hundred thousand take this process 30 ms, and a key may ask for two billion. */
const MAX_ITERATIONS = 100_000;

function readKey({ private_key: pem, passphrase }: ClientCertificateInput): KeyObject {
  if (!isFast(pem))
    throw fault('private_key', 'takes too long to open with its passphrase. Give it without a passphrase');
  const key = openKey(pem, passphrase);
  if (!KEY_TYPES.includes(key.asymmetricKeyType)) throw fault('private_key', 'is none of RSA, EC, Ed25519 and Ed448');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_MODULUS_BITS)
    throw fault('private_key', `has more than ${MAX_MODULUS_BITS} bits`);
  return key;
}

function openKey(key: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key, format: 'pem', passphrase: passphrase ?? '' });
  } catch {
    if (!/ENCRYPTED/.test(key)) throw fault('private_key', 'is not a private key as PEM (-----BEGIN PRIVATE KEY-----)');
    throw fault('passphrase', passphrase === undefined ? 'is needed for this private key' : 'does not open the key');
  }
}

/** Forms of OpenSSL's own. Their passphrase goes through MD5 once. */
const TRADITIONAL = /^(RSA PRIVATE KEY|EC PRIVATE KEY|EC PARAMETERS)$/;

/**
 * Whether a key opens fast, whatever it is called: OpenSSL finds out by itself whether a PRIVATE KEY is encrypted.
 * False for a key in another form than OpenSSL writes.
 */
const isFast = (pem: string): boolean =>
  pem
    .split('-----BEGIN ')
    .slice(1)
    .every((block) => {
      const [label = '', body = ''] = block.split('-----');
      if (TRADITIONAL.test(label)) return true;
      const base64 = body.replaceAll(/\s/g, '');
      return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && isFastPkcs8(Buffer.from(base64, 'base64'));
    });

/** 1.3.6.1.4.1.11591.4.11. The work that it asks for is a product of three numbers. */
const SCRYPT = Buffer.from('2b06010401da47040b', 'hex');

function isFastPkcs8(der: Buffer): boolean {
  try {
    return !der.includes(SCRYPT) && largestInteger(der) <= MAX_ITERATIONS;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const INTEGER = 0x02;
const CONSTRUCTED = 0x20;

/** The largest integer in a structure of ASN.1. @throws RangeError when it ends too early */
function largestInteger(der: Buffer): number {
  let largest = 0;
  for (let at = 0; at < der.length;) {
    const [tag, short] = [der.readUInt8(at), der.readUInt8(at + 1)];
    const lengthBytes = short > 0x80 ? short & 0x7f : 0;
    const length = lengthBytes === 0 ? short : der.readUIntBE(at + 2, lengthBytes);
    at += 2 + lengthBytes;
    if (tag & CONSTRUCTED) continue; // Its parts follow.
    if (tag === INTEGER) largest = Math.max(largest, der.readUIntBE(at, length));
    at += length;
  }
  return largest;
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
