import { Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/problem';

/** Large answers that a team may read at once. */
const MOST_OPEN = 4;
/** A reader has so long for each piece (a mebibyte or two). */
const PATIENCE_MS = 60_000;

/**
 * Answers of any size, written as they are read: a piece is made when the one before it is taken. A team has few at
 * once, and one that its reader does not go on with is broken off, so that neither takes anything from others.
 */
export class SuiteStreams {
  readonly #streams = new Set<Readable>();
  /** By team. */
  readonly #open = new Map<string, number>();

  constructor(readonly patienceMs = PATIENCE_MS) {}

  /** What is in memory already, or soon will be, counts for nothing. */
  small(pieces: AsyncGenerator<string>): Readable {
    // Not ended by an error, the answer would look whole: whoever sends it breaks the connection off instead.
    const stream: Readable = Readable.from(
      this.#patiently(pieces, (error) => stream.destroy(error)),
      { highWaterMark: 1 },
    );
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  /** @throws ProblemError 429 when the team reads too many already */
  large(teamId: string, pieces: AsyncGenerator<string>): Readable {
    const open = this.#open.get(teamId) ?? 0;
    if (open >= MOST_OPEN) {
      throw new ProblemError(
        429,
        `Your team reads ${open} large suites just now, and ${MOST_OPEN} may be read at once. Try ` +
          'again in a few seconds.',
        undefined,
        5000,
      );
    }
    this.#open.set(teamId, open + 1);
    const stream = this.small(pieces);
    stream.once('close', () => this.#close(teamId));
    return stream;
  }

  /** Breaks all of them off: a server that ends waits for its answers. */
  close(): void {
    for (const stream of this.#streams) stream.destroy(new Error('The server ends.'));
  }

  #close(teamId: string): void {
    const left = this.#open.get(teamId)! - 1;
    if (left > 0) this.#open.set(teamId, left);
    else this.#open.delete(teamId);
  }

  async *#patiently(pieces: AsyncGenerator<string>, breakOff: (error: Error) => void): AsyncGenerator<Buffer> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of pieces) {
        timer = setTimeout(() => breakOff(new Error('The reader took nothing for too long.')), this.patienceMs).unref();
        yield Buffer.from(piece);
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
