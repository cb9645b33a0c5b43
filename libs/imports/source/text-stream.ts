import type { Json } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';

/** The text of a file that is still arriving, in chunks. It can be read only once. */
export class TextStream {
  constructor(readonly pieces: AsyncIterable<string>) {}
}

/**
 * Reads the whole text, for formats that are a single value.
 * @throws ProblemError 413 as soon as the text is longer than `limit.size`
 */
export async function readWholeText(
  text: Json | TextStream,
  limit?: { size: number; refusal: () => ProblemError },
): Promise<Json> {
  if (!(text instanceof TextStream)) return text;
  let whole = '';
  for await (const piece of text.pieces) {
    whole += piece;
    if (limit && whole.length > limit.size) throw limit.refusal();
  }
  return whole;
}

/** Yields the lines of a text, without line ends and the byte order mark. */
export async function* readTextLines(text: string | TextStream): AsyncGenerator<string> {
  let rest = '';
  let first = true;
  for await (const piece of typeof text === 'string' ? [text] : text.pieces) {
    // A line that spans many chunks is joined only once, when it ends.
    if (!piece.includes('\n')) {
      rest += piece;
      continue;
    }
    const whole = rest + piece;
    let from = first && whole.startsWith('\ufeff') ? 1 : 0;
    first = false;
    for (let end = whole.indexOf('\n', from); end >= 0; end = whole.indexOf('\n', from)) {
      yield whole.slice(from, end);
      from = end + 1;
    }
    rest = whole.slice(from);
  }
  if (rest !== '') yield first ? rest.replace(/^\ufeff/, '') : rest;
}

/** Reads chunks until there is enough text or it ends. Returns them, and the same text from its start. */
export async function lookAhead(
  text: string | TextStream,
  isEnough: (seen: string) => boolean,
): Promise<{ seen: string; again: TextStream }> {
  const pieces = typeof text === 'string' ? oneByOne([text]) : text.pieces[Symbol.asyncIterator]();
  let seen = '';
  let next: IteratorResult<string> | undefined;
  while (!next?.done && !isEnough(seen)) {
    next = await pieces.next();
    if (!next.done) seen += next.value;
  }
  const again = async function* (): AsyncGenerator<string> {
    yield seen;
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
  };
  return { seen, again: new TextStream(again()) };
}

async function* oneByOne(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}
