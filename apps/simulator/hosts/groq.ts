import { minimalUsage, refuseEach, refuseOtherFields, THOUGHT, THOUGHT_TOKENS, type Host } from './host.js';

const FIELDS = ['role', 'content', 'name', 'tool_calls', 'function_call'];

/** Groq. It refuses its own `reasoning` field when it is sent back. */
export const groq: Host = {
  about: 'Groq: refuses fields of messages that it does not know, such as the thoughts that it sends itself.',
  refuses: refuseEach(['logprobs', 'top_logprobs', 'logit_bias', 'store'], (name) => ({
    message: `property '${name}' is unsupported`,
  })),
  refusesMessage: refuseOtherFields(FIELDS, (field, index) => ({
    message:
      `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property ` +
      `'${field}' is unsupported${field === 'reasoning' ? ", did you mean 'role'?" : ''})]`,
  })),
  writeRefusal: ({ message }) => ({ error: { message, type: 'invalid_request_error' } }),
  sends: () => ({ message: { reasoning: THOUGHT }, response: { x_groq: { id: 'req_1' } } }),
  headers: {
    'x-ratelimit-limit-requests': '14400',
    'x-ratelimit-limit-tokens': '18000',
    'x-ratelimit-remaining-requests': '14370',
    'x-ratelimit-remaining-tokens': '17997',
    'x-ratelimit-reset-requests': '2m59.56s',
    'x-ratelimit-reset-tokens': '7.66s',
  },
  reasoning: () => THOUGHT_TOKENS,
  usage: (usage) => ({
    ...minimalUsage(usage),
    queue_time: 0.018,
    prompt_time: 0.002,
    completion_time: 0.011,
    total_time: 0.013,
    ...(usage.cacheRead > 0 && { prompt_tokens_details: { cached_tokens: usage.cacheRead } }),
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }),
  odd: {
    unread: () => ({
      status: 400,
      isLasting: true,
      body: {
        error: {
          message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          failed_generation: '<function=get_weather>{"city": </function>',
        },
      },
    }),
    limited: ({ request }) => ({
      status: 429,
      headers: { 'retry-after': '1' },
      body: {
        error: {
          message:
            `Rate limit reached for model \`${request.model}\` on tokens per minute (TPM). Please try ` +
            'again in 1s.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
    }),
  },
};
