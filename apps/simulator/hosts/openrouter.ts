import { toDollars, type Cost } from '../ledger.js';
import { minimalUsage, THOUGHT, THOUGHT_TOKENS, type Host } from './host.js';

const error = (message: string, code: number, metadata?: object): object => ({
  error: { message, code, ...(metadata && { metadata }) },
});

const writeCost = ({ prompt, completion }: Cost): object => ({
  cost: toDollars(prompt + completion),
  is_byok: false,
  cost_details: {
    upstream_inference_cost: toDollars(prompt + completion),
    upstream_inference_prompt_cost: toDollars(prompt),
    upstream_inference_completions_cost: toDollars(completion),
  },
});

/**
 * OpenRouter, in front of a model whose hosts cannot force a call. Its limit resets at a time in milliseconds. It
 * reports a cost once prices have been posted.
 */
export const openrouter: Host = {
  about: 'OpenRouter: no host of the model takes a required call; errors inside a 200.',
  refuses: {
    tool_choice: (value) =>
      value === 'auto' || value === 'none'
        ? undefined
        : {
            status: 404,
            message:
              "No endpoints found that support the provided 'tool_choice' value. To learn more about provider " +
              'routing, visit: https://openrouter.ai/docs/provider-routing',
          },
  },
  writeRefusal: ({ message, status }) => error(message, status),
  sends: () => ({
    message: {
      refusal: null,
      reasoning: THOUGHT,
      reasoning_details: [{ type: 'reasoning.text', text: THOUGHT, format: 'unknown', index: 0 }],
    },
    choice: { native_finish_reason: 'tool_calls' },
    response: { provider: 'Simulated' },
  }),
  reasoning: () => THOUGHT_TOKENS,
  usage: (usage) => ({
    ...minimalUsage(usage),
    ...(usage.cost && writeCost(usage.cost)),
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, image_tokens: 0, audio_tokens: 0 },
  }),
  odd: {
    limited: ({ nowMs }) => ({
      status: 429,
      body: error('Rate limit exceeded: free-models-per-min. ', 429, {
        headers: {
          'X-RateLimit-Limit': '20',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(nowMs + 1000),
        },
        provider_name: null,
      }),
    }),
    failed: () => ({ body: error('Provider returned error', 502, { provider_name: 'Simulated' }) }),
    broken: ({ request }) => ({
      body: {
        id: 'gen-1',
        object: 'chat.completion',
        model: request.model,
        choices: [
          {
            index: 0,
            finish_reason: 'error',
            native_finish_reason: null,
            error: { code: 502, message: 'Upstream error' },
            message: { role: 'assistant', content: '' },
          },
        ],
      },
    }),
  },
};
