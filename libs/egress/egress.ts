import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { isHostPattern } from '#lib/runtime/host-list';

/** What the operator decided about requests that leave. Plain data, so that threads can have it. */
export interface EgressSettings {
  /** Patterns of `HostList`: the private networks, addresses and names that requests may go to. */
  allowedNetworks: readonly string[];
  httpsProxy?: string | undefined;
  httpProxy?: string | undefined;
  /** Patterns of `HostList`: what is reached without a proxy. */
  noProxy: readonly string[];
  /** Certificates to trust in addition to the system's, as PEM. */
  extraCa?: string | undefined;
}

/** A file of certificates that cannot be used. */
export class EgressFault extends Error {}

const ALL_PRIVATE = ['0.0.0.0/0', '::/0'];
const MAX_CA_BYTES = 2 ** 20;

const known = new WeakMap<Env, EgressSettings>();

/** The settings of this process. Files are read once. @throws EgressFault */
export function egressOf(env: Env): EgressSettings {
  const egress = known.get(env) ?? readEgress(env);
  known.set(env, egress);
  return egress;
}

const readEgress = (env: Env): EgressSettings => ({
  allowedNetworks: [
    ...(env.TOOLMARK_ALLOWED_NETWORKS ?? []),
    ...(env.TOOLMARK_ALLOW_PRIVATE_NETWORKS ? ALL_PRIVATE : []),
  ],
  httpsProxy: env.HTTPS_PROXY,
  httpProxy: env.HTTP_PROXY,
  noProxy: (env.NO_PROXY ?? []).filter(isHostPattern).flatMap(withSubdomains),
  extraCa: env.TOOLMARK_EXTRA_CA === undefined ? undefined : readCertificates(env.TOOLMARK_EXTRA_CA),
});

/** Other programs, too, take a name in NO_PROXY for itself and its subdomains. */
const withSubdomains = (pattern: string): string[] =>
  isHostPattern(`.${pattern}`) ? [pattern, `.${pattern}`] : [pattern];

/** Reads the settings when a process starts. Says what is wrong and exits if they cannot be used. */
export function startEgress(env: Env, logger: Logger): EgressSettings {
  if (env.TOOLMARK_ALLOW_PRIVATE_NETWORKS)
    logger.warn(
      'TOOLMARK_ALLOW_PRIVATE_NETWORKS lets requests go to every private address, in this release for the last time. ' +
        'Name the networks and hosts that are needed in TOOLMARK_ALLOWED_NETWORKS instead.',
    );
  const unknown = (env.NO_PROXY ?? []).filter((entry) => !isHostPattern(entry));
  if (unknown.length > 0)
    logger.warn(
      `NO_PROXY has entries that are neither networks, addresses nor names, and do not count: ${unknown.join(', ')}`,
    );
  try {
    return egressOf(env);
  } catch (error) {
    if (!(error instanceof EgressFault)) throw error;
    process.stderr.write(`${error.message}\nTOOLMARK_EXTRA_CA is described in docs/operations.md.\n`);
    process.exit(1);
  }
}

/** @throws EgressFault */
function readCertificates(file: string): string {
  const pem = readPem(file);
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0)
    throw new EgressFault(`TOOLMARK_EXTRA_CA: ${file} has no certificate. It must be a PEM file (BEGIN CERTIFICATE).`);
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      const reason = (error as Error).message;
      throw new EgressFault(`TOOLMARK_EXTRA_CA: certificate ${index + 1} in ${file} cannot be read: ${reason}.`);
    }
  }
  return certificates.join('\n');
}

function readPem(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_CA_BYTES) throw new Error(`it is larger than ${MAX_CA_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new EgressFault(`TOOLMARK_EXTRA_CA: ${file} cannot be read: ${(error as Error).message}.`);
  }
}
