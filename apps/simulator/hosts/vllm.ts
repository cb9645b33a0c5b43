import { minimalUsage, THOUGHT, type Host } from './host.js';

/** vLLM, started without a tool-call parser: a required call works (by guided decoding), an automatic one does not. */
export const vllm: Host = {
  about: 'vLLM without a parser of calls: refuses tool_choice auto; ids of 46 characters.',
  refuses: {
    tool_choice: (value) =>
      value === 'auto'
        ? { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' }
        : undefined,
  },
  writeRefusal: ({ message, status }) => ({
    object: 'error',
    message,
    type: 'BadRequestError',
    param: null,
    code: status,
  }),
  id: ({ seed }) => `chatcmpl-tool-${seed.padStart(32, '0')}`,
  sends: () => ({
    message: { reasoning_content: THOUGHT, refusal: null, annotations: null, audio: null, function_call: null },
    choice: { stop_reason: null },
    response: { prompt_logprobs: null, kv_transfer_params: null },
  }),
  hasNoCache: true,
  usage: (usage) => ({ ...minimalUsage(usage), prompt_tokens_details: null }),
  odd: {
    broken: ({ request }) => ({
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: request.model,
        choices: [{ index: 0, finish_reason: 'abort', message: { role: 'assistant', content: '', tool_calls: [] } }],
      },
    }),
  },
};
