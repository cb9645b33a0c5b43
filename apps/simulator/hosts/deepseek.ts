import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { minimalUsage, THOUGHT, THOUGHT_TOKENS, type Host } from './host.js';

/** Thinking is on by default. */
export const thinks = ({ thinking }: JsonObject): boolean => !(isObject(thinking) && thinking.type === 'disabled');

/** Whether an assistant message with calls after the last user message came back without its thoughts. */
export const isMissingThoughts = (message: JsonObject, index: number, body: JsonObject): boolean =>
  thinks(body) &&
  message.tool_calls !== undefined &&
  typeof message.reasoning_content !== 'string' &&
  !(body.messages as JsonObject[]).slice(index).some(({ role }) => role === 'user');

/** DeepSeek in thinking mode, which accepts sampling settings but ignores them. */
export const deepseek: Host = {
  about: 'DeepSeek in thinking mode: takes no required call, and wants its thoughts back.',
  refuses: {
    tool_choice: (value, body) =>
      thinks(body) && value !== 'auto' && value !== 'none'
        ? { message: 'Thinking mode does not support this tool_choice', code: 'invalid_request_error' }
        : undefined,
  },
  refusesMessage: (message, index, body) =>
    isMissingThoughts(message, index, body)
      ? {
          message:
            `Missing \`reasoning_content\` field in the assistant message at message index ${index}. For more ` +
            'information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
          code: 'invalid_request_error',
        }
      : undefined,
  ignores: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
  id: ({ index, seed }) => `call_${String(index).padStart(2, '0')}_${seed}`,
  sends: (body) => (thinks(body) ? { message: { reasoning_content: THOUGHT } } : {}),
  reasoning: (body) => (thinks(body) ? THOUGHT_TOKENS : 0),
  usage: (usage) => ({
    ...minimalUsage(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    ...(usage.reasoning > 0 && { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
    prompt_cache_hit_tokens: usage.cacheRead,
    prompt_cache_miss_tokens: usage.prompt - usage.cacheRead,
  }),
  odd: {
    broken: ({ request }) => ({
      body: {
        id: '1',
        object: 'chat.completion',
        model: request.model,
        choices: [
          { index: 0, finish_reason: 'insufficient_system_resource', message: { role: 'assistant', content: '' } },
        ],
      },
    }),
    unpaid: () => ({
      status: 402,
      isLasting: true,
      body: {
        error: {
          message: 'Insufficient Balance',
          type: 'unknown_error',
          param: null,
          code: 'invalid_request_error',
        },
      },
    }),
  },
};
