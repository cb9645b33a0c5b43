import type { Json, JsonObject } from '#lib/contracts/json/json';
import { objectTextIn, setArgument, valueOf, type MarkedText, type Syntax, type CallsInSyntax } from './syntax.js';

const NAME = /\s{0,20}"?([\w.:/-]{1,200})"?(?:>|[,\s]{0,20}(?=\{))/y;

/** Llama 3.1: `<function=f>{"a": 1}</function>`. Hosts such as Groq quote it without the ">" as well. */
export const llamaFunction: Syntax = {
  id: 'llama',
  marks: ['<function='],
  read(text, at) {
    const found = open(text, at);
    if (!found?.body.trimStart().startsWith('{')) return undefined;
    return { calls: [{ name: found.name, arguments: objectTextIn(found.body) }], end: found.end };
  },
};

/** Qwen 3 Coder: `<function=f><parameter=a>1</parameter></function>`, with values as plain text. */
export const qwen: Syntax = {
  id: 'qwen',
  marks: ['<function='],
  read(text, at): CallsInSyntax | undefined {
    const found = open(text, at);
    if (!found) return undefined;
    const { name, body, end } = found;
    const isClosed = text.text.startsWith('</function>', end);
    if (!isClosed && !body.includes('<parameter=')) return undefined;
    const schemas = text.parametersOf(name);
    const given: JsonObject = {};
    for (const part of body.split('<parameter=').slice(1)) {
      const keyEnd = part.indexOf('>');
      if (keyEnd < 0) return { calls: [{ name, arguments: body.trim() }], end };
      const key = part.slice(0, keyEnd).trim();
      const value: Json = valueOf(part.slice(keyEnd + 1).split('</parameter>', 1)[0]!, schemas[key]);
      setArgument(given, key, value);
    }
    return { calls: [{ name, arguments: given }], end };
  },
};

function open(text: MarkedText, at: number): { name: string; body: string; end: number } | undefined {
  const name = text.match(NAME, at);
  if (!name) return undefined;
  const start = at + name[0].length;
  const end = text.findFirst(['</function>', '<function=', '</tool_call>'], start);
  return { name: name[1]!, body: text.text.slice(start, end), end };
}
