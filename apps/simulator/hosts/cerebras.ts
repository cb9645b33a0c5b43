import { isObject } from '#lib/contracts/json/json';
import { refuseEach, refuseOtherFields, THOUGHT, type Host, type Refusal } from './host.js';

const FIELDS = ['role', 'content', 'name', 'tool_calls', 'reasoning'];
const unsupported = (place: string): Refusal => ({ message: `${place}: property '${place}' is unsupported` });

/** Cerebras. The error message for strict tools mixed with others is from memory. */
export const cerebras: Host = {
  about: 'Cerebras: refuses penalties, unknown fields, and strict tools mixed with others.',
  refuses: {
    ...refuseEach(['frequency_penalty', 'presence_penalty', 'logit_bias', 'store'], (name) => ({
      ...unsupported(`body.${name}`),
      status: 422,
    })),
    tools: (value) => {
      const tools = Array.isArray(value) ? value.filter(isObject) : [];
      const strict = new Set(tools.map((tool) => isObject(tool.function) && tool.function.strict === true));
      return strict.size < 2
        ? undefined
        : { message: "Tools with mixed values for 'strict' are not allowed. Set all of them to one value." };
    },
  },
  refusesMessage: refuseOtherFields(FIELDS, (field, index) => unsupported(`messages.${index}.assistant.${field}`)),
  writeRefusal: ({ message }) => ({
    message,
    type: 'invalid_request_error',
    param: 'validation_error',
    code: 'wrong_api_format',
  }),
  sends: () => ({ message: { reasoning: THOUGHT }, response: { time_info: { total_time: 0.1 } } }),
};
