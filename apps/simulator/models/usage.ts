import { replyTokens, type Reply } from '../formats/chat-completions.js';
import { costOf, type TokenUsage } from '../ledger.js';
import type { ModelRequest } from './model-request.js';

/**
 * Counts the tokens and cost of a reply. Uses the prompt cache.
 * @param reasoning tokens, in addition to those of the reply itself
 */
export function usageOf(asked: ModelRequest, reply: Reply, reasoning = 0): TokenUsage {
  const { read, written5m, written1h } = asked.useCache();
  const usage = {
    prompt: asked.promptTokens,
    completion: replyTokens(reply) + reasoning,
    reasoning,
    cacheRead: read,
    cacheWrite5m: written5m,
    cacheWrite1h: written1h,
  };
  return { ...usage, cost: costOf(usage, asked.state.prices) };
}
