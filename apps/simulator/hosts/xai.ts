import { minimalUsage, type Host, type Refusal } from './host.js';

/** Argument names in xAI's spelling. */
const unsupported = (argument: string): Refusal => ({
  message: `Model grok-4 does not support parameter ${argument}.`,
});

/** An xAI reasoning model, which counts its thoughts only in the total, not in completion_tokens. */
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
  reasoning: () => 60,
  usage: (usage) => ({
    ...minimalUsage(usage),
    completion_tokens: usage.completion - usage.reasoning,
    prompt_tokens_details: {
      text_tokens: usage.prompt,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: usage.cacheRead,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
  }),
};
