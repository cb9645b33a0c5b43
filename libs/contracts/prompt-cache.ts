import { z } from 'zod';

export const PromptCache = z
  .enum(['off', '5m', '1h'])
  .default('off')
  .meta({
    description:
      "Whether providers are asked to cache tools and system prompt, for five minutes or an hour: Anthropic's API by " +
      "`cache_control`, OpenAI's by a `prompt_cache_key`, which has one length. Google caches without being asked. " +
      'It changes no reply, so stored replies answer either way.',
  });

/** What a request says of the cache of its provider, until its dialect puts it in the words of a host. */
export interface CacheRequest {
  /** The same for requests that begin with the same tools and system prompt. */
  key: string;
  ttl: '5m' | '1h';
  /** Whether the first message is a system prompt that other requests have, too. */
  hasSystemPrompt: boolean;
}
