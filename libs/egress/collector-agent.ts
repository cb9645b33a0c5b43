import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { EgressSettings } from './egress.js';
import { EgressPolicy } from './policy.js';

/**
 * What requests of Node's own clients to a host need that the operator chose, and that may have any address.
 * @returns undefined if there is neither a proxy for it nor an authority of the operator's
 */
export function collectorAgent(egress: EgressSettings, url: string): ((protocol: string) => HttpAgent) | undefined {
  const variable = new EgressPolicy(egress).proxyFor(new URL(url))?.variable;
  if (variable === undefined && egress.extraCa === undefined) return undefined;
  const proxyEnv = { HTTPS_PROXY: egress.httpsProxy, HTTP_PROXY: egress.httpProxy };
  const options: AgentOptions = {
    keepAlive: true,
    ...(variable && { proxyEnv: { [variable]: proxyEnv[variable] } }),
    ...(egress.extraCa !== undefined && { ca: [...getCACertificates('default'), egress.extraCa] }),
  };
  return (protocol) => (protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options));
}
