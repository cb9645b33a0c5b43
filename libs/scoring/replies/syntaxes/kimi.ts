import { objectTextIn, plainName, type Syntax } from './syntax.js';

const ARGUMENTS = '<|tool_call_argument_begin|>';

/** Kimi K2: `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{...}<|tool_call_end|>`. */
export const kimi: Syntax = {
  id: 'kimi',
  marks: ['<|tool_call_begin|>'],
  read(text, at) {
    const end = text.findFirst(['<|tool_call_end|>', '<|tool_call_begin|>', '<|tool_calls_section_end|>'], at);
    const section = text.text.slice(at, end);
    const separator = section.indexOf(ARGUMENTS);
    if (separator < 0) return undefined;
    const name = plainName(section.slice(0, separator));
    return { calls: [{ name, arguments: objectTextIn(section.slice(separator + ARGUMENTS.length)) }], end };
  },
};
