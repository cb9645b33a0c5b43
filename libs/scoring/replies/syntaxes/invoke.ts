import type { JsonObject } from '#lib/contracts/json/json';
import { objectTextIn, setArgument, valueOf, type Syntax } from './syntax.js';

const PARAMETER = /<(?:｜DSML｜|antml:)?parameter name="([^"]{1,200})"([^>]{0,200})>/;
const PARAMETER_END = /<\/(?:｜DSML｜|antml:)?parameter>/;

/**
 * MiniMax, Claude and DeepSeek 3.2: `<invoke name="f"><parameter name="a">1</parameter></invoke>`, also with a prefix.
 */
export const invoke: Syntax = {
  id: 'invoke',
  marks: ['<invoke name="', '<invoke name="', '<｜DSML｜invoke name="'],
  read(text, at, mark) {
    const nameEnd = text.find('">', at);
    const name = text.text.slice(at, nameEnd);
    if (nameEnd === text.text.length || name.length > 200) return undefined;
    const prefix = mark.slice(1, mark.indexOf('invoke'));
    const end = text.findFirst([`</${prefix}invoke>`, mark], nameEnd);
    const body = text.text.slice(nameEnd + 2, end);
    const [before, ...parts] = body.split(/(?=<(?:｜DSML｜|antml:)?parameter name=")/);
    if (before!.trim().startsWith('{')) return { calls: [{ name, arguments: objectTextIn(body) }], end };
    const schemas = text.parametersOf(name);
    const given: JsonObject = {};
    for (const part of PARAMETER.test(before!) ? [before!, ...parts] : parts) {
      const opening = PARAMETER.exec(part);
      if (!opening) return { calls: [{ name, arguments: body.trim() }], end };
      const [whole, key, rest] = opening as unknown as [string, string, string];
      const written = part.slice(whole.length).split(PARAMETER_END, 1)[0]!;
      const schema = rest.includes('string="true"') ? { type: 'string' } : schemas[key];
      const value = valueOf(written, schema);
      setArgument(given, key, value);
    }
    return { calls: [{ name, arguments: given }], end };
  },
};
