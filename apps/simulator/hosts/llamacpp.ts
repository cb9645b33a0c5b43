import { THOUGHT, type Host } from './host.js';

/**
 * The llama.cpp server. Client projects report that earlier versions left ids empty; this was not checked against one.
 */
export const llamacpp: Host = {
  about: 'The server of llama.cpp: ids are empty; 500 for a call that it could not read.',
  id: () => '',
  sends: () => ({ message: { reasoning_content: THOUGHT }, response: { timings: { predicted_n: 20 } } }),
  odd: {
    unread: () => ({
      status: 500,
      isLasting: true,
      body: { error: { code: 500, message: 'Failed to parse input at pos 12: {"city": ', type: 'server_error' } },
    }),
    'no-tools': () => ({
      status: 500,
      isLasting: true,
      body: { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
    }),
  },
};
