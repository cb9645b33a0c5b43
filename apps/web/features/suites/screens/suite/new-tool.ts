import type { JsonObject } from '#lib/contracts/json/json';

/** The initial value of a new tool. */
export const NEW_TOOL: JsonObject = {
  type: 'function',
  function: {
    name: 'new_tool',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};
