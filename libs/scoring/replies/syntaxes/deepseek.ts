import { objectTextIn, plainName, type Syntax } from './syntax.js';

const SEPARATOR = '<｜tool▁sep｜>';

/**
 * DeepSeek: `<｜tool▁call▁begin｜>f<｜tool▁sep｜>{...}<｜tool▁call▁end｜>`. Before 3.1 "function" takes the place of the
 * name, which is then on the first line.
 */
export const deepseek: Syntax = {
  id: 'deepseek',
  marks: ['<｜tool▁call▁begin｜>'],
  read(text, at) {
    const end = text.findFirst(['<｜tool▁call▁end｜>', '<｜tool▁call▁begin｜>', '<｜tool▁calls▁end｜>'], at);
    const section = text.text.slice(at, end);
    const separator = section.indexOf(SEPARATOR);
    if (separator < 0) return undefined;
    const head = section.slice(0, separator).trim();
    const body = section.slice(separator + SEPARATOR.length);
    if (head !== 'function') return { calls: [{ name: plainName(head), arguments: objectTextIn(body) }], end };
    const [name, ...rest] = body.trimStart().split('\n');
    return { calls: [{ name: plainName(name!), arguments: objectTextIn(rest.join('\n')) }], end };
  },
};
