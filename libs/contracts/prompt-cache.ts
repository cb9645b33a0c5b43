import { z } from 'zod';
import { PROMPT_CACHE_MODES } from './values/runs.js';

export const PromptCache = z
  .enum(PROMPT_CACHE_MODES)
  .default('off')
  .describe(
    "Whether providers are asked to cache tools and system prompt, for five minutes or an hour: Anthropic's API by " +
      "`cache_control`, OpenAI's by a `prompt_cache_key`, which has one length. Google caches by itself. " +
      'It changes no reply, so stored replies answer either way.',
  );

/** The cache settings of a request, before its dialect translates them for a host. */
export interface CacheRequest {
  /** Shared by requests that start with the same tools and system prompt. */
  key: string;
  ttl: '5m' | '1h';
  /** Whether the first message is a system prompt shared with other requests. */
  hasSystemPrompt: boolean;
}
