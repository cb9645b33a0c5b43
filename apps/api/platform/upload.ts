import { addAbortSignal, type Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/problem';
import { TextStream } from '#lib/imports/files/text-stream';

/** What a body may have: in all, and of time; who is slower would keep others waiting. */
export interface UploadBounds {
  bytes: number;
  /** From when somebody reads it to its end. */
  totalMs?: number;
  /** From one piece to the next. */
  idleMs?: number;
}
const LONGEST_MS = 120_000;

/** What is known to be no larger makes nobody wait. */
export const SMALL_BYTES = 2 ** 20;

/** Of what nobody wants to read so much is taken, in so much time, from a client that goes on sending. */
const DRAIN = { bytes: 64 * 2 ** 20, ms: 10_000, idleMs: 1000 };

/** Takes what nobody wants to read: a client that is still sending reads no answer, and sees a broken connection. */
export async function drain(body: Readable): Promise<void> {
  const chunks = (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const endsAt = performance.now() + DRAIN.ms;
  for (let size = 0; size <= DRAIN.bytes && performance.now() < endsAt;) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), DRAIN.idleMs)));
    const next = await Promise.race([chunks.next().catch(() => ENDED), late]);
    clearTimeout(timer);
    if (!next || next.done) return;
    size += next.value.length;
  }
}
const ENDED = { done: true, value: undefined } as const;

/** A body that is read as it is needed, and never beyond its bounds. */
export class Upload extends TextStream {
  readonly #body: Readable;
  readonly isSmall: boolean;

  constructor(
    body: Readable,
    readonly declaredLength: string | undefined,
    bounds: UploadBounds,
  ) {
    super(pieces(body, bounds, Number(declaredLength ?? 0)));
    this.#body = body;
    this.isSmall = Number(declaredLength ?? Infinity) <= SMALL_BYTES;
  }

  drain(): Promise<void> {
    return drain(this.#body);
  }

  /** Called when it is answered: a client that has not sent all of it has some time to read the answer. */
  letGo(): void {
    setTimeout(() => void (this.#body.readableEnded || this.#body.destroy()), DRAIN.ms).unref();
  }

  /** The whole text. */
  async text(): Promise<string> {
    let text = '';
    for await (const piece of this.pieces) text += piece;
    return text;
  }

  /** What a repetition of its request is told by. */
  toJSON(): object {
    return { bytes: this.declaredLength ?? null };
  }
}

async function* pieces(
  body: Readable,
  { bytes: largest, totalMs = LONGEST_MS, idleMs = totalMs }: UploadBounds,
  declaredLength: number,
): AsyncGenerator<string> {
  if (declaredLength > largest) throw tooLarge(largest);
  addAbortSignal(AbortSignal.timeout(totalMs), body);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunks = (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let size = 0;
  try {
    for (;;) {
      const idle = setTimeout(() => body.destroy(new Error('Nothing came for too long.')), idleMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(idle));
      if (done) break;
      if ((size += value.length) > largest) throw tooLarge(largest);
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (error instanceof ProblemError || (error as { statusCode?: number }).statusCode === 413) throw error;
    throw new ProblemError(408, 'The body broke off, or nothing of it came for too long. Nothing of it was kept.');
  } finally {
    await chunks.return?.();
  }
  yield decoder.decode();
}

const tooLarge = (largest: number): ProblemError =>
  new ProblemError(413, `The body is larger than ${largest / 2 ** 20} MiB. Send less of it at a time.`);
