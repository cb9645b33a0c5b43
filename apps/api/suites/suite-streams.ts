import { Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/input/problem';

/** Large answers that a team may read at once. */
const MAX_LARGE = 4;
/** Characters of answers in memory that a team may have been asked for and not read. */
const MAX_HELD_CHARACTERS = 32 * 2 ** 20;
/** The time that a reader has for each piece of a mebibyte or two. */
const PIECE_TIMEOUT_MS = 60_000;

/**
 * Answers of any size: a piece is made when the reader has taken the piece before it. A team has a few large answers
 * at once, and an answer whose reader stops is broken off, so that neither costs other teams anything.
 */
export class SuiteStreams {
  readonly #streams = new Set<Readable>();
  /** Large answers, by team. */
  readonly #large = new Map<string, number>();
  /** Characters of small ones, by team. */
  readonly #held = new Map<string, number>();

  constructor(readonly pieceTimeoutMs = PIECE_TIMEOUT_MS) {}

  /**
   * An answer that is in memory already.
   * @throws ProblemError 429 when the team has not read as much as it may have in memory
   */
  small(teamId: string, characters: number, pieces: AsyncGenerator<string>): Readable {
    const held = this.#held.get(teamId) ?? 0;
    if (held > 0 && held + characters > MAX_HELD_CHARACTERS)
      throw new ProblemError(
        429,
        `Your team has asked for suites of ${MAX_HELD_CHARACTERS / 2 ** 20} million characters, and not read them. ` +
          'Read those, or try again in a few seconds.',
        undefined,
        5000,
      );
    this.#held.set(teamId, held + characters);
    const stream = this.#open(pieces);
    stream.once('close', () => {
      const left = this.#held.get(teamId)! - characters;
      if (left > 0) this.#held.set(teamId, left);
      else this.#held.delete(teamId);
    });
    return stream;
  }

  #open(pieces: AsyncGenerator<string>): Readable {
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
    const open = this.#large.get(teamId) ?? 0;
    if (open >= MAX_LARGE) {
      throw new ProblemError(
        429,
        `Your team reads ${open} large suites just now, and ${MAX_LARGE} may be read at once. Try ` +
          'again in a few seconds.',
        undefined,
        5000,
      );
    }
    this.#large.set(teamId, open + 1);
    const stream = this.#open(pieces);
    stream.once('close', () => this.#close(teamId));
    return stream;
  }

  /** Breaks off all answers: a server that shuts down waits for them. */
  close(): void {
    for (const stream of this.#streams) stream.destroy(new Error('The server ends.'));
  }

  #close(teamId: string): void {
    const left = this.#large.get(teamId)! - 1;
    if (left > 0) this.#large.set(teamId, left);
    else this.#large.delete(teamId);
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
