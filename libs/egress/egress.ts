import type { Env } from '#lib/runtime/env';

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

const ALL_PRIVATE = ['0.0.0.0/0', '::/0'];

/** The settings of this process. */
export const egressOf = (env: Env): EgressSettings => ({
  allowedNetworks: [
    ...(env.TOOLMARK_ALLOWED_NETWORKS ?? []),
    ...(env.TOOLMARK_ALLOW_PRIVATE_NETWORKS ? ALL_PRIVATE : []),
  ],
  httpsProxy: env.HTTPS_PROXY,
  httpProxy: env.HTTP_PROXY,
  noProxy: env.NO_PROXY ?? [],
});
