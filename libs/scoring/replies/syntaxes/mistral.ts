import { jsonCallsIn } from './json-calls.js';
import { objectTextIn, type Syntax } from './syntax.js';

const NAME = /\s*([\w.-]{1,200})(?:\[CALL_ID\][\w-]{0,100})?\s*(\[ARGS\]|(?=\{))/y;

/** Mistral: `[TOOL_CALLS][{"name": "f", ...}]`, and from tokenizer version 11 `[TOOL_CALLS]f[ARGS]{...}`. */
export const mistral: Syntax = {
  id: 'mistral',
  marks: ['[TOOL_CALLS]'],
  read(text, at) {
    const end = text.findFirst(['[TOOL_CALLS]', '</s>'], at);
    const name = text.match(NAME, at);
    if (name && at + name[0].length <= end)
      return { calls: [{ name: name[1]!, arguments: objectTextIn(text.text.slice(at + name[0].length, end)) }], end };
    const calls = jsonCallsIn(text.text.slice(at, end));
    return calls && { calls, end };
  },
};
