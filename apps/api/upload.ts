import { addAbortSignal, type Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/problem';
import { Incoming } from '#lib/imports/incoming';

/** A file has so long to come in, once somebody reads it: who is slower would keep others waiting. */
const LONGEST_MS = 120_000;

/** What is known to be no larger makes nobody wait. */
export const SMALL_BYTES = 2 ** 20;

/** A body that is read as it is needed, and never beyond its limit. */
export class Upload extends Incoming {
  readonly #body: Readable;
  readonly isSmall: boolean;

  constructor(body: Readable, largest: number, declaredLength: string | undefined) {
    super(pieces(body, largest, Number(declaredLength ?? 0)));
    this.#body = body;
    this.isSmall = Number(declaredLength ?? Infinity) <= SMALL_BYTES;
  }

  /** Takes what nobody wanted to read: a client that is still sending reads no answer. */
  async drain(): Promise<void> {
    try {
      for await (const _chunk of this.#body.iterator({ destroyOnReturn: false }));
    } catch {
      // It went away.
    }
  }

  /** The whole text. */
  async text(): Promise<string> {
    let text = '';
    for await (const piece of this.pieces) text += piece;
    return text;
  }
}

async function* pieces(body: Readable, largest: number, declaredLength: number): AsyncGenerator<string> {
  if (declaredLength > largest) throw tooLarge();
  addAbortSignal(AbortSignal.timeout(LONGEST_MS), body);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let size = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if ((size += chunk.length) > largest) throw tooLarge();
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 413) throw error;
    throw new ProblemError(400, 'The body broke off. Nothing was imported.');
  }
  yield decoder.decode();
}

const tooLarge = (): Error => Object.assign(new Error('too large'), { statusCode: 413 });
