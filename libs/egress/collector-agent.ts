import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import { readVariable } from '#lib/runtime/env';
import type { EgressSettings } from './egress.js';
import { EgressPolicy } from './policy.js';

/**
 * What requests of Node's own clients to a host need that the operator chose, and that may have any address.
 * @returns undefined if there is neither a proxy for it nor an authority of the operator's
 */
export function collectorAgent(egress: EgressSettings, url: string): ((protocol: string) => HttpAgent) | undefined {
  const variable = URL.canParse(url) ? new EgressPolicy(egress).proxyFor(new URL(url))?.variable : undefined;
  if (variable === undefined && egress.extraCa === undefined) return undefined;
  const proxyEnv = { HTTPS_PROXY: egress.httpsProxy, HTTP_PROXY: egress.httpProxy };
  const options: AgentOptions = {
    keepAlive: true,
    ...(variable && { proxyEnv: { [variable]: proxyEnv[variable] } }),
  };
  return (protocol) =>
    protocol === 'https:'
      ? new HttpsAgent({ ...options, secureContext: secureContextFor(egress) })
      : new HttpAgent(options);
}

/** An agent of ours takes the place of the exporter's own, which would read these files. */
function secureContextFor({ extraCa }: EgressSettings) {
  const authority = otlpFile('CERTIFICATE');
  return createSecureContext({
    ca:
      authority === undefined && extraCa === undefined
        ? undefined
        : [
            ...(authority === undefined ? getCACertificates('default') : [authority]),
            ...(extraCa === undefined ? [] : [extraCa]),
          ],
    cert: otlpFile('CLIENT_CERTIFICATE'),
    key: otlpFile('CLIENT_KEY'),
  });
}

/** Those of traces count before those of everything. The exporter, too, goes on without a file that it cannot read. */
function otlpFile(name: string): string | undefined {
  const file = readVariable(`OTEL_EXPORTER_OTLP_TRACES_${name}`) || readVariable(`OTEL_EXPORTER_OTLP_${name}`);
  try {
    return file ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
