// Does not import zod, because the command line and the page load this module.

/** Counts of reads and writes of the provider's cache, in tokens of requests, and of reasoning tokens in replies. */
export const TOKEN_PARTS = [
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
] as const;
export const TOKEN_COUNTS = ['prompt_tokens', 'completion_tokens', ...TOKEN_PARTS] as const;
type TokenCount = (typeof TOKEN_COUNTS)[number];

export const eachCount = <Value>(valueOf: (name: TokenCount) => Value): Record<TokenCount, Value> =>
  Object.fromEntries(TOKEN_COUNTS.map((name) => [name, valueOf(name)])) as Record<TokenCount, Value>;

/** The share of request tokens read from the provider's cache, 0..1; null without any. */
export const cacheHitRate = ({
  prompt_tokens: all,
  cache_read_tokens: read,
}: Record<'prompt_tokens' | 'cache_read_tokens', number>): number | null => (all > 0 ? Math.min(1, read / all) : null);

/** The same over the requests that a summary counts as sent; null if the provider does not report it. */
export function cacheHitsOf({
  usage,
  cached,
}: {
  usage?: { prompt_tokens: number; cache_read_tokens?: number };
  cached: { prompt_tokens: number };
}): number | null {
  if (usage?.cache_read_tokens === undefined) return null; // A server of an earlier release does not report it.
  const { prompt_tokens: all, cache_read_tokens: read } = usage;
  return cacheHitRate({ prompt_tokens: all - cached.prompt_tokens, cache_read_tokens: read });
}
