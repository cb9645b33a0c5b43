import type { Summary } from './summary.js';

/**
 * The share of the tokens of requests that the provider's cache answered, 0..1, over the requests that were made; null
 * where the provider counts none.
 */
export function cacheHitsOf({ usage, cached }: Pick<Summary, 'usage' | 'cached'>): number | null {
  if (usage?.cache_read_tokens === undefined) return null; // A server of an earlier release counts none.
  const asked = usage.prompt_tokens - cached.prompt_tokens;
  return asked <= 0 ? null : Math.min(1, usage.cache_read_tokens / asked);
}
