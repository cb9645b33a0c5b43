import { addAbortSignal, type Readable } from 'node:stream';
import { TextReader } from '#lib/contracts/input/decode-text';
import { ProblemError } from '#lib/contracts/input/problem';
import { TextStream } from '#lib/imports/source/text-stream';

/** The largest body, but for routes that say otherwise with `@TakesFile`. */
export const MAX_BODY_BYTES = 10 * 2 ** 20;

/** How large a body may be and how slowly it may come: a slow sender would keep others waiting. */
export interface UploadBounds {
  bytes: number;
  /** From when its reader begins to its end. */
  totalMs?: number;
  /** From one piece to the next. */
  idleMs?: number;
}
const DEFAULT_TOTAL_MS = 120_000;

/** A body that is known to be no larger does not take turns with others. */
export const SMALL_BYTES = 2 ** 20;

/** How much of an unwanted body is read, and for how long, from a client that is still sending. */
const DRAIN = { bytes: 64 * 2 ** 20, ms: 10_000, idleMs: 1000 };

/** Reads on what nobody wants: a client that is still sending reads no response, and sees a broken connection. */
export async function drain(body: Readable): Promise<void> {
  const chunks = (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const endsAt = performance.now() + DRAIN.ms;
  for (let size = 0; size <= DRAIN.bytes && performance.now() < endsAt;) {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), DRAIN.idleMs)));
    const next = await Promise.race([chunks.next().catch(() => ENDED), timeout]);
    clearTimeout(timer);
    if (!next || next.done) return;
    size += next.value.length;
  }
}
const ENDED = { done: true, value: undefined } as const;

/** A body that is read piece by piece, and never beyond its bounds. */
export class Upload extends TextStream {
  readonly #body: Readable;
  readonly isSmall: boolean;

  constructor(
    body: Readable,
    readonly declaredLength: string | undefined,
    bounds: UploadBounds,
    reader: TextReader,
  ) {
    super(pieces(body, bounds, Number(declaredLength ?? 0), reader));
    this.#body = body;
    this.isSmall = Number(declaredLength ?? Infinity) <= SMALL_BYTES;
  }

  drain(): Promise<void> {
    return drain(this.#body);
  }

  /** Ends it when the response is sent. A client that has not sent all of it has some time to read the response. */
  release(): void {
    setTimeout(() => void (this.#body.readableEnded || this.#body.destroy()), DRAIN.ms).unref();
  }

  /** The whole text. */
  async text(): Promise<string> {
    let text = '';
    for await (const piece of this.pieces) text += piece;
    return text;
  }

  /** What identifies its request, for the Idempotency-Key. */
  toJSON(): object {
    return { bytes: this.declaredLength ?? null };
  }
}

async function* pieces(
  body: Readable,
  { bytes: maxBytes, totalMs = DEFAULT_TOTAL_MS, idleMs = totalMs }: UploadBounds,
  declaredLength: number,
  reader: TextReader,
): AsyncGenerator<string> {
  if (declaredLength > maxBytes) throw tooLarge(maxBytes);
  addAbortSignal(AbortSignal.timeout(totalMs), body);
  const chunks = (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let size = 0;
  try {
    for (;;) {
      const idle = setTimeout(() => body.destroy(new Error('Nothing came for too long.')), idleMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(idle));
      if (done) break;
      if ((size += value.length) > maxBytes) throw tooLarge(maxBytes);
      const text = reader.write(value);
      if (text) yield text;
    }
  } catch (error) {
    if (error instanceof ProblemError || (error as { statusCode?: number }).statusCode === 413) throw error;
    throw new ProblemError(408, 'The body broke off, or stopped arriving for too long. Nothing of it was stored.');
  } finally {
    await chunks.return?.();
  }
  yield reader.end();
}

const tooLarge = (maxBytes: number): ProblemError =>
  new ProblemError(413, `The body is larger than ${maxBytes / 2 ** 20} MiB. Send less of it at a time.`);
