import type { Provider } from '#lib/contracts/provider';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import { withoutSlash } from '#lib/contracts/url';
import { shellQuoted } from './shell-quoted.js';

type Host = Pick<Provider, 'kind' | 'base_url'> &
  Partial<Pick<Provider, 'api_key_set' | 'api_key_ref' | 'headers' | 'client_certificate'>>;
const KINDS: Partial<Record<string, { curl: { path: string; key: string } | null }>> = PROVIDER_KINDS;

/** A request as a shell command, and the variables that stand for its secrets. */
export interface CurlCommand {
  text: string;
  variables: string[];
}

/** @returns undefined for a kind whose requests are stored in another form than they are sent in */
export function curlCommand(provider: Host, body: unknown): CurlCommand | undefined {
  const { kind, base_url: url, api_key_set: hasKey = true, api_key_ref: ref, headers = [] } = provider;
  const curl = KINDS[kind]?.curl;
  if (!curl) return undefined;
  const base = withoutSlash(url);
  const { anthropic_version: version, ...sent } = body as Record<string, unknown>;
  const isAnthropic = kind === 'anthropic';
  const own = headers.map(({ name }, index) => ({ name, variable: variableOf(name, index, headers) }));
  const needsKey = hasKey || Boolean(ref);
  const certificate = provider.client_certificate ? CERTIFICATE : [];
  const text = [
    `curl ${shellQuoted(`${isAnthropic && !base.endsWith('/v1') ? `${base}/v1` : base}${curl.path}`)}`,
    ...(needsKey ? [`-H "${curl.key}"`] : []),
    "-H 'content-type: application/json'",
    ...(isAnthropic
      ? [`-H ${shellQuoted(`anthropic-version: ${typeof version === 'string' ? version : '2023-06-01'}`)}`]
      : []),
    ...own.map(({ name, variable }) => `-H ${shellQuoted(`${name}: `)}"$${variable}"`),
    ...certificate.map(([option, variable]) => `--${option} "$${variable}"`),
    `--data-raw ${shellQuoted(JSON.stringify(isAnthropic ? sent : body))}`,
  ].join(' \\\n  ');
  const variables = [
    ...(needsKey ? ['API_KEY'] : []),
    ...own.map(({ variable }) => variable),
    ...certificate.map(([, variable]) => variable),
  ];
  return { text, variables };
}

/** Paths of files. */
const CERTIFICATE = [
  ['cert', 'CLIENT_CERTIFICATE'],
  ['key', 'CLIENT_KEY'],
] as const;

/** HEADER_X_TEAM for x-team. The prefix tells it from PATH; a number, from a name with other signs. */
function variableOf(name: string, index: number, headers: readonly { name: string }[]): string {
  const plain = (one: string): string => one.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const isTaken = headers.slice(0, index).some((one) => plain(one.name) === plain(name));
  return `HEADER_${plain(name)}${isTaken ? `_${index + 1}` : ''}`;
}
