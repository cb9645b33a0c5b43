import { objectTextIn, type Syntax } from './syntax.js';

const HEAD =
  /([\w.-]{1,200})(?:\s|<\|channel\|>|<\|constrain\|>|commentary|analysis|json|code){0,20}(<\|message\|>)?\s*/y;

/**
 * Harmony, of gpt-oss: `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{...}<|call|>`. Some hosts
 * omit the special tokens.
 */
export const harmony: Syntax = {
  id: 'harmony',
  marks: ['to=functions.'],
  read(text, at) {
    const head = text.match(HEAD, at);
    if (!head) return undefined;
    const start = at + head[0].length;
    if (head[2] === undefined && text.text[start] !== '{') return undefined;
    const end = text.findFirst(
      ['<|call|>', '<|end|>', '<|return|>', '<|start|>', '<|channel|>', 'to=functions.'],
      start,
    );
    return { calls: [{ name: head[1]!, arguments: objectTextIn(text.text.slice(start, end)) }], end };
  },
};
