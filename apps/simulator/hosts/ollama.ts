import { minimalUsage, THOUGHT, type Host } from './host.js';

const error = (message: string): object => ({ error: { message, type: 'api_error', param: null, code: null } });

/** Ollama. Client projects report that its ids restart in each round; this was not checked against a server. */
export const ollama: Host = {
  about: 'Ollama: ignores tool_choice, starts again with the id call_0 in each round.',
  ignores: ['tool_choice', 'parallel_tool_calls'],
  id: ({ index }) => `call_${index}`,
  sends: () => ({ message: { reasoning: THOUGHT }, response: { system_fingerprint: 'fp_ollama' } }),
  hasNoCache: true,
  usage: minimalUsage,
  odd: {
    unread: () => ({
      status: 500,
      isLasting: true,
      body: error('error parsing tool call: raw=\'{"city": "Paris\', err=unexpected end of JSON input'),
    }),
    'no-tools': () => ({
      status: 400,
      isLasting: true,
      body: error('registry.ollama.ai/library/gemma3:4b does not support tools'),
    }),
    'no-model': ({ request }) => ({
      status: 404,
      isLasting: true,
      body: error(`model "${request.model}" not found, try pulling it first`),
    }),
  },
};
