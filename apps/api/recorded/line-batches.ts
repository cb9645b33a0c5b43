import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_RECORDED } from '#lib/contracts/recorded';
import type { TextStream } from '#lib/imports/source/text-stream';
import { faultOf, refusal } from '../threads/recorded-faults.js';

/** A batch ends at this many lines or characters, or this long after the previous one. */
const BATCH = { lines: 1000, characters: 512 * 1024, afterMs: 20_000 };

export interface LineBatch {
  /** The number of the first line, from 1. */
  from: number;
  lines: string[];
}

/**
 * Splits a text into batches of lines as it arrives. Never holds more than a batch and one line.
 * @throws ProblemError 422 when a line is too long or there are too many
 */
export async function* lineBatches({ pieces }: TextStream): AsyncGenerator<LineBatch> {
  const batch = new OpenBatch();
  let rest = '';
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      batch.add(rest + piece.slice(start, end));
      rest = '';
      start = end + 1;
      if (batch.isDue) yield batch.close();
    }
    rest += piece.slice(start);
    batch.refuseTooLong(rest);
    if (batch.isDue) yield batch.close();
  }
  if (rest) batch.add(rest);
  if (!batch.isEmpty) yield batch.close();
}

/** The batch that lines are added to. */
class OpenBatch {
  #from = 1;
  #lines: string[] = [];
  #characters = 0;
  #openedAt = performance.now();

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  get isDue(): boolean {
    return (
      this.#lines.length >= BATCH.lines ||
      this.#characters >= BATCH.characters ||
      (!this.isEmpty && performance.now() - this.#openedAt > BATCH.afterMs)
    );
  }

  get #next(): number {
    return this.#from + this.#lines.length;
  }

  add(text: string): void {
    const line = this.#next === 1 ? text.replace(/^\ufeff/, '') : text;
    this.refuseTooLong(line);
    if (this.#next > MAX_RECORDED.lines) throw tooMany();
    this.#lines.push(line);
    this.#characters += line.length;
  }

  refuseTooLong(line: string): void {
    if (line.length > MAX_RECORDED.lineCharacters) throw tooLong(this.#next);
  }

  close(): LineBatch {
    const batch = { from: this.#from, lines: this.#lines };
    this.#from = this.#next;
    this.#lines = [];
    this.#characters = 0;
    this.#openedAt = performance.now();
    return batch;
  }
}

const tooLong = (line: number): ProblemError =>
  refusal([
    faultOf(line, {
      path: '',
      message:
        `is longer than ${MAX_RECORDED.lineCharacters / 2 ** 20} MiB. Remove what is not part of the ` +
        'reply, such as files that a tool read.',
    }),
  ]);

const tooMany = (): ProblemError =>
  new ProblemError(422, `There are more than ${MAX_RECORDED.lines} lines. Divide them among several recorded runs.`);
