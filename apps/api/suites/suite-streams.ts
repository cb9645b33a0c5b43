import { Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/input/problem';

/** Large answers that a team may read at once. */
const MAX_LARGE = 4;
/** The time that a reader has for each piece of a mebibyte or two. */
const PIECE_TIMEOUT_MS = 60_000;

/**
 * Answers of any size: a piece is made when the reader has taken the piece before it. A team has a few large answers
 * at once, and an answer whose reader stops is broken off, so that neither costs other teams anything.
 */
export class SuiteStreams {
  readonly #streams = new Set<Readable>();
  /** By team. */
  readonly #open = new Map<string, number>();

  constructor(readonly pieceTimeoutMs = PIECE_TIMEOUT_MS) {}

  /** An answer that is in memory already; it does not count towards the limit of its team. */
  small(pieces: AsyncGenerator<string>): Readable {
    // An answer that ended early would look complete: destroying the stream breaks off the connection instead.
    const stream: Readable = Readable.from(
      this.#withTimeout(pieces, (error) => stream.destroy(error)),
      { highWaterMark: 1 },
    );
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  /** @throws ProblemError 429 when the team reads too many already */
  large(teamId: string, pieces: AsyncGenerator<string>): Readable {
    const open = this.#open.get(teamId) ?? 0;
    if (open >= MAX_LARGE) {
      throw new ProblemError(
        429,
        `Your team reads ${open} large suites just now, and ${MAX_LARGE} may be read at once. Try ` +
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

  /** Breaks off all answers: a server that shuts down waits for them. */
  close(): void {
    for (const stream of this.#streams) stream.destroy(new Error('The server ends.'));
  }

  #close(teamId: string): void {
    const left = this.#open.get(teamId)! - 1;
    if (left > 0) this.#open.set(teamId, left);
    else this.#open.delete(teamId);
  }

  async *#withTimeout(pieces: AsyncGenerator<string>, breakOff: (error: Error) => void): AsyncGenerator<Buffer> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of pieces) {
        timer = setTimeout(
          () => breakOff(new Error('The reader took nothing for too long.')),
          this.pieceTimeoutMs,
        ).unref();
        yield Buffer.from(piece);
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
