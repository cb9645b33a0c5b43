import type { JsonObject } from '#lib/contracts/json/json';

/** A tool to begin with. */
export const NEW_TOOL: JsonObject = {
  type: 'function',
  function: {
    name: 'new_tool',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};
