import type { Readable } from 'node:stream';
import { TextReader } from '#lib/contracts/input/decode-text';
import { ProblemError } from '#lib/contracts/input/problem';
import { TextStream } from '#lib/imports/source/text-stream';

/** The largest body that is held in memory as a whole. */
export const MAX_BODY_BYTES = 10 * 2 ** 20;

/** Limits on the size of a body and on how slowly it may arrive: a slow sender would keep others waiting. */
export interface UploadBounds {
  bytes: number;
  /** From the start of reading to the end of the body. */
  totalMs?: number;
  /** From one chunk to the next. */
  idleMs?: number;
}
const DEFAULT_TOTAL_MS = 120_000;

/** A body that is known not to exceed this does not take turns with others. */
export const SMALL_BYTES = 2 ** 20;

/** How much of an unwanted body is read, and for how long, while the client is still sending. */
const DRAIN = { bytes: 64 * 2 ** 20, ms: 10_000, idleMs: 3000 };

/**
 * Discards the rest of an unwanted body: a client that is still sending would not read the response, and would see a
 * broken connection.
 */
export async function drain(body: Readable): Promise<void> {
  const chunks = iterate(body);
  const endsAt = performance.now() + DRAIN.ms;
  for (let size = 0; size <= DRAIN.bytes && performance.now() < endsAt;) {
    const next = await within(DRAIN.idleMs, chunks.next()).catch(() => undefined);
    if (!next || next.done) return;
    size += next.value.length;
  }
}

const iterate = (body: Readable): AsyncIterator<Buffer> =>
  (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();

/** Undefined when it takes longer. */
async function within<Made>(ms: number, work: Promise<Made>): Promise<Made | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), Math.max(0, ms))));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * The bytes of a body as they arrive.
 * @throws ProblemError 413 beyond its size limit, 408 when it arrives too slowly or breaks off
 */
export async function* chunksOf(
  body: Readable,
  { bytes: maxBytes, totalMs = DEFAULT_TOTAL_MS, idleMs = totalMs }: UploadBounds,
): AsyncGenerator<Buffer> {
  const chunks = iterate(body);
  const endsAt = performance.now() + totalMs;
  for (let size = 0; ;) {
    const next = await within(Math.min(idleMs, endsAt - performance.now()), chunks.next()).catch(() => undefined);
    if (!next) throw brokenOff({ totalMs, idleMs });
    if (next.done) return;
    if ((size += next.value.length) > maxBytes) throw tooLarge(maxBytes);
    yield next.value;
  }
}

export const tooLarge = (bytes: number): ProblemError =>
  new ProblemError(413, `The body is larger than ${sizeName(bytes)}, the limit of this route. Send less at a time.`);
const MIB = 2 ** 20;
/** A readable size, such as `64 KiB`. */
export const sizeName = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`;
};

const brokenOff = ({ totalMs, idleMs }: { totalMs: number; idleMs: number }): ProblemError =>
  new ProblemError(
    408,
    `The body broke off, or stalled for too long: it may take ${totalMs / 1000} s in all, with at most ` +
      `${idleMs / 1000} s between two chunks. Nothing was stored.`,
  );

/** A body that is read in chunks, and never beyond its limits. */
export class Upload extends TextStream {
  readonly #body: Readable;
  readonly isSmall: boolean;

  constructor(
    body: Readable,
    readonly declaredLength: string | undefined,
    bounds: UploadBounds,
    reader: TextReader,
  ) {
    super(pieces(body, bounds, reader));
    this.#body = body;
    this.isSmall = Number(declaredLength ?? Infinity) <= SMALL_BYTES;
  }

  drain(): Promise<void> {
    return drain(this.#body);
  }

  /**
   * Destroys the body some time after the response is sent, so that a client that is still sending can read the
   * response.
   */
  release(): void {
    setTimeout(() => void (this.#body.readableEnded || this.#body.destroy()), DRAIN.ms).unref();
  }

  /** The whole text. */
  async text(): Promise<string> {
    let text = '';
    for await (const piece of this.pieces) text += piece;
    return text;
  }

  /** Identifies its request for the Idempotency-Key. */
  toJSON(): object {
    return { bytes: this.declaredLength ?? null };
  }
}

async function* pieces(body: Readable, bounds: UploadBounds, reader: TextReader): AsyncGenerator<string> {
  for await (const chunk of chunksOf(body, bounds)) {
    const text = reader.write(chunk);
    if (text) yield text;
  }
  yield reader.end();
}
