import { minimalUsage, refuseEach, refuseOtherFields, type Host, type Refusal } from './host.js';

const FIELDS = ['role', 'content', 'tool_calls', 'prefix'];
/** The path of a field, as its validator formats it, passed through `param`. */
const extra = (...place: (string | number)[]): Refusal => ({
  status: 422,
  message: 'Extra inputs are not permitted',
  param: JSON.stringify(['body', ...place]),
});

/**
 * Mistral, which calls the seed random_seed. Earlier versions accepted only ids of nine letters and digits; this one
 * does not check them.
 */
export const mistral: Host = {
  about: 'Mistral: 422 for settings and fields of messages that it does not know.',
  refuses: refuseEach(
    ['max_completion_tokens', 'seed', 'logprobs', 'top_logprobs', 'logit_bias', 'user', 'store', 'reasoning_effort'],
    extra,
  ),
  refusesMessage: refuseOtherFields(FIELDS, (field, index) => extra('messages', index, 'assistant', field)),
  writeRefusal: ({ message, param }) => ({
    object: 'error',
    message: { detail: [{ type: 'extra_forbidden', loc: JSON.parse(param!) as unknown, msg: message, input: null }] },
    type: 'invalid_request_error',
    param: null,
    code: null,
  }),
  id: ({ seed }) => `${seed}000000000`.slice(0, 9),
  usage: (usage) => ({ ...minimalUsage(usage), prompt_tokens_details: { cached_tokens: usage.cacheRead } }),
  sends: () => ({ message: { prefix: false }, call: { index: 0 } }),
};
