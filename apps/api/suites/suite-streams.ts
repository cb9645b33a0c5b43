import { Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/input/problem';

/** Maximum number of large answers that a team may read at once. */
const MAX_LARGE = 4;
/** Maximum characters of requested answers that a team has in memory and has not read. */
const MAX_HELD_CHARACTERS = 32 * 2 ** 20;
/** How long a reader may take for each chunk of a mebibyte or two. */
const PIECE_TIMEOUT_MS = 60_000;

/**
 * Streams answers of any size: a chunk is produced when the reader has taken the previous one. A team may have a few
 * large answers at once, and an answer whose reader stalls is broken off, so that neither affects other teams.
 */
export class SuiteStreams {
  readonly #streams = new Set<Readable>();
  /** Number of large answers, by team. */
  readonly #large = new Map<string, number>();
  /** Characters of small answers, by team. */
  readonly #held = new Map<string, number>();

  constructor(readonly pieceTimeoutMs = PIECE_TIMEOUT_MS) {}

  /**
   * An answer that is already in memory.
   * @throws ProblemError 429 when the team has too many unread characters in memory
   */
  small(teamId: string, characters: number, pieces: AsyncGenerator<string>): Readable {
    const held = this.#held.get(teamId) ?? 0;
    if (held > 0 && held + characters > MAX_HELD_CHARACTERS)
      throw new ProblemError(
        429,
        `Your team has requested suites of ${MAX_HELD_CHARACTERS / 2 ** 20} million characters and not read them. ` +
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
    // An answer that ends early would look complete: destroying the stream breaks off the connection instead.
    const stream: Readable = Readable.from(
      this.#withTimeout(pieces, (error) => stream.destroy(error)),
      { highWaterMark: 1 },
    );
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  /** @throws ProblemError 429 when the team already reads too many */
  large(teamId: string, pieces: AsyncGenerator<string>): Readable {
    const open = this.#large.get(teamId) ?? 0;
    if (open >= MAX_LARGE) {
      throw new ProblemError(
        429,
        `Your team is reading ${open} large suites; the limit is ${MAX_LARGE} at once. Try ` +
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

  /** Breaks off all answers, which a server shutdown would wait for. */
  close(): void {
    for (const stream of this.#streams) stream.destroy(new Error('The server is stopping.'));
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
          () => breakOff(new Error('The client read nothing for too long.')),
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
