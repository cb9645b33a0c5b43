import type { Host, Refusal } from './host.js';

/** Names in its own spelling. */
const unsupported = (argument: string): Refusal => ({
  message: `Model grok-4 does not support parameter ${argument}.`,
});

/** A reasoning model of xAI. */
export const xai: Host = {
  about: 'A reasoning model of xAI: refuses penalties, stop and reasoning_effort, under other names.',
  refuses: {
    presence_penalty: unsupported('presencePenalty'),
    frequency_penalty: unsupported('frequencyPenalty'),
    stop: unsupported('stop'),
    reasoning_effort: unsupported('reasoningEffort'),
  },
  writeRefusal: ({ message }) => ({ code: 'Client specified an invalid argument', error: message }),
  sends: () => ({ message: { refusal: null }, response: { system_fingerprint: 'fp_xai' } }),
};
