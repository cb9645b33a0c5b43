import { isMissingThoughts, thinks } from './deepseek.js';
import { minimalUsage, THOUGHT, THOUGHT_TOKENS, type Host, type Refusal } from './host.js';

const incompatible = (choice: string): Refusal => ({
  message: `tool_choice '${choice}' is incompatible with thinking enabled`,
});

/**
 * Kimi at Moonshot. The wording of its refusals is from memory. Not verified: that it does not report thoughts
 * separately, and that it sends cached_tokens even when there are none.
 */
export const kimi: Host = {
  about: 'Kimi at Moonshot: one temperature, no required call while it thinks, and it wants its thoughts back.',
  refuses: {
    temperature: (value, body) => {
      const only = thinks(body) ? 1 : 0.6;
      return value === only ? undefined : { message: `invalid temperature: only ${only} is allowed for this model` };
    },
    tool_choice: (value, body) =>
      thinks(body) && value !== 'auto' && value !== 'none'
        ? incompatible(value === 'required' ? value : 'specified')
        : undefined,
  },
  refusesMessage: (message, index, body) =>
    isMissingThoughts(message, index, body)
      ? {
          message:
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index ' +
            String(index),
        }
      : undefined,
  writeRefusal: ({ message }) => ({ error: { message, type: 'invalid_request_error' } }),
  id: ({ name, index, before }) => `functions.${name}:${before + index}`,
  sends: (body) => (thinks(body) ? { message: { reasoning_content: THOUGHT } } : {}),
  reasoning: (body) => (thinks(body) ? THOUGHT_TOKENS : 0),
  usage: (usage) => ({ ...minimalUsage(usage), cached_tokens: usage.cacheRead }),
};
