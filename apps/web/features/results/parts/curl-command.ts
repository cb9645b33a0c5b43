import type { Provider } from '#lib/contracts/provider';
import { PROVIDER_KINDS } from '#lib/contracts/values/providers';
import { withoutSlash } from '#lib/contracts/url';
import { shellQuoted } from './shell-quoted.js';

type Host = Pick<Provider, 'kind' | 'base_url'>;
const KINDS: Partial<Record<string, { curl: { path: string; key: string } | null }>> = PROVIDER_KINDS;

/**
 * A request as a shell command, whose key is left to a variable.
 * @returns undefined for a kind whose requests are stored in another form than they are sent in
 */
export function curlCommand({ kind, base_url: url }: Host, body: unknown): string | undefined {
  const curl = KINDS[kind]?.curl;
  if (!curl) return undefined;
  const base = withoutSlash(url);
  const { anthropic_version: version, ...sent } = body as Record<string, unknown>;
  const isAnthropic = kind === 'anthropic';
  return [
    `curl ${shellQuoted(`${isAnthropic && !base.endsWith('/v1') ? `${base}/v1` : base}${curl.path}`)}`,
    `-H "${curl.key}"`,
    "-H 'content-type: application/json'",
    ...(isAnthropic
      ? [`-H ${shellQuoted(`anthropic-version: ${typeof version === 'string' ? version : '2023-06-01'}`)}`]
      : []),
    `--data-raw ${shellQuoted(JSON.stringify(isAnthropic ? sent : body))}`,
  ].join(' \\\n  ');
}
