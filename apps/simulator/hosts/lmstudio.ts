import { minimalUsage, type Host } from './host.js';

/** LM Studio. Its ids have nine digits. */
export const lmstudio: Host = {
  about: 'LM Studio: tool_choice is a text only; errors are a text.',
  refuses: {
    tool_choice: (value) =>
      typeof value === 'string'
        ? undefined
        : { message: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" },
  },
  writeRefusal: ({ message }) => ({ error: message }),
  id: ({ index, before }) => String(365_174_485 + before + index),
  sends: () => ({ response: { stats: {} } }),
  hasNoCache: true,
  usage: minimalUsage,
};
