import { jsonOf, type Syntax } from './syntax.js';

const NAME = /([\w.-]{1,200})\s*(?=\{)/y;
const QUOTE = '<|"|>';

/** Gemma: `<|tool_call>call:f{a:<|"|>text<|"|>,n:1}<tool_call|>`, an object with bare keys and its own quotes. */
export const gemma: Syntax = {
  id: 'gemma',
  marks: ['<|tool_call>call:'],
  read(text, at) {
    const name = text.match(NAME, at);
    if (!name) return undefined;
    const start = at + name[0].length;
    const end = text.findFirst(['<tool_call|>', '<|tool_call>'], start);
    const written = text.text.slice(start, end).trim();
    return { calls: [{ name: name[1]!, arguments: jsonOf(toJson(written)) ?? written }], end };
  },
};

const toJson = (written: string): string =>
  written
    .split(QUOTE)
    .map((piece, index) =>
      index % 2 === 1 ? JSON.stringify(piece) : piece.replace(/([{,]\s{0,10})([A-Za-z_][\w-]{0,200}):/g, '$1"$2":'),
    )
    .join('');
