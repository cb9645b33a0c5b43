import type { JsonObject } from '#lib/contracts/json/json';
import { setArgument, valueOf, type Syntax } from './syntax.js';

const NAME = /\s*([\w.-]{1,200})\s*(?=<)/y;

/** GLM 4.5: `<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`, with values as plain text. */
export const glm: Syntax = {
  id: 'glm',
  marks: ['<tool_call>'],
  read(text, at) {
    const found = text.match(NAME, at);
    if (!found) return undefined;
    const name = found[1]!;
    const start = at + found[0].length;
    const end = text.findFirst(['</tool_call>', '<tool_call>'], start);
    const body = text.text.slice(start, end);
    const isCall = body.startsWith('<arg_key>') || (body === '' && text.tools.has(name.toLowerCase()));
    if (!isCall) return undefined;
    const schemas = text.parametersOf(name);
    const given: JsonObject = {};
    for (const part of body.split('<arg_key>').slice(1)) {
      const [key, rest] = part.split('</arg_key>', 2);
      const written = rest?.split('<arg_value>', 2)[1];
      if (written === undefined) return { calls: [{ name, arguments: body }], end };
      const value = valueOf(written.split('</arg_value>', 1)[0]!, schemas[key!.trim()]);
      setArgument(given, key!.trim(), value);
    }
    return { calls: [{ name, arguments: given }], end };
  },
};
