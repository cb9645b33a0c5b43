import type { Provider } from '#lib/contracts/provider';
import { withoutSlash } from '#lib/contracts/url';
import { shellQuoted } from './shell-quoted.js';

type Host = Pick<Provider, 'kind' | 'base_url'>;

/** The endpoint of a provider kind, and how it takes the key. */
const KINDS: Partial<Record<Provider['kind'], { path: string; key: string }>> = {
  openai: { path: '/chat/completions', key: 'authorization: Bearer $API_KEY' },
  'openai-responses': { path: '/responses', key: 'authorization: Bearer $API_KEY' },
  anthropic: { path: '/messages', key: 'x-api-key: $API_KEY' },
};

/**
 * A request as a shell command, whose key is left to a variable.
 * @returns undefined for a kind whose requests are stored in another form than they are sent in
 */
export function curlCommand({ kind, base_url: url }: Host, body: unknown): string | undefined {
  const known = KINDS[kind];
  if (!known) return undefined;
  const base = withoutSlash(url);
  const { anthropic_version: version, ...sent } = body as Record<string, unknown>;
  const isAnthropic = kind === 'anthropic';
  return [
    `curl ${shellQuoted(`${isAnthropic && !base.endsWith('/v1') ? `${base}/v1` : base}${known.path}`)}`,
    `-H "${known.key}"`,
    "-H 'content-type: application/json'",
    ...(isAnthropic
      ? [`-H ${shellQuoted(`anthropic-version: ${typeof version === 'string' ? version : '2023-06-01'}`)}`]
      : []),
    `--data-raw ${shellQuoted(JSON.stringify(isAnthropic ? sent : body))}`,
  ].join(' \\\n  ');
}
