import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseJson, type Json } from '#lib/contracts/json/json';
import type { Account } from '#lib/db/engine/store-rounds';
import { joinExchange, partsOf } from '#lib/db/read/exchange-parts';
import { runSerially } from '#lib/runtime/threads/large-work';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import { holdsManyValues } from '#lib/providers/reading/count-values';
import { readExchange, type Exchange, type NewExchange, type ReadExchange } from '../../scoring/exchange.js';

/** Exchanges of up to this many characters are compressed in this thread. */
const MAX_INLINE_BYTES = 256 * 1024;

// Compressing an exchange of a kilobyte takes 17 to 23 microseconds in this thread, a quarter of what handing it to
// another thread costs. Chunks are small because a chunk is kept whole until its exchange is settled: 16 KiB each by
// default.
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const packInline = (text: string): Buffer => zstdCompressSync(text, { params, chunkSize: 1024 });
const packInThread = promisify(zstdCompress);

/** @param largeBytes the approximate size of its large replies; 0 when it has none */
export async function packExchange(
  exchange: NewExchange & { next?: Json[]; account?: Account },
  largeBytes: number,
): Promise<Buffer> {
  const rounds = exchange.rounds?.length ?? 1;
  const { requests, replies, ...rest } = exchange;
  if (replies.some((reply) => reply instanceof SerialisedJson)) {
    const printed = await runSerially(() => JSON.stringify(requests), largeBytes * (rounds - 1));
    return packInThread(withPrinted(printed, replies, rest), { params });
  }
  const text = await runSerially(() => JSON.stringify(exchange), largeBytes * rounds);
  return text.length <= MAX_INLINE_BYTES ? packInline(text) : packInThread(text, { params });
}

/** The JSON of an exchange with already serialised bodies. */
function withPrinted(requests: string, replies: NewExchange['replies'], rest: object): Buffer {
  const bodies = replies.flatMap((reply, index) => [
    Buffer.from(index === 0 ? '' : ','),
    reply instanceof SerialisedJson ? reply.bytes : Buffer.from(JSON.stringify(reply)),
  ]);
  const end = JSON.stringify(rest) === '{}' ? '}' : `,${JSON.stringify(rest).slice(1)}`;
  return Buffer.concat([Buffer.from(`{"requests":${requests},"replies":[`), ...bodies, Buffer.from(`]${end}`)]);
}

/** How to read exchanges with many bytes or many values. */
export interface LargeExchanges {
  /** Runs the work when there is room for it. */
  whenFree: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Reads one in a thread. */
  read: (packed: Buffer) => Promise<ReadExchange>;
}

/** Reads a stored exchange and passes it on. */
export async function unpackExchange<Result>(
  packed: Buffer,
  large: LargeExchanges,
  use: (exchange: ReadExchange) => Promise<Result>,
): Promise<Result> {
  const small = partsOf(packed).map(unpackSmall);
  if (small.every((part) => part && !holdsManyValues(part)) && lengthOf(small) <= MAX_INLINE_BYTES)
    return use(
      readExchange(joinExchange(small.map((part) => parseJson(part!.toString('utf8')))) as unknown as Exchange),
    );
  return large.whenFree(async () => use(await large.read(packed)));
}

const lengthOf = (parts: readonly (Buffer | undefined)[]): number =>
  parts.reduce((sum, part) => sum + (part?.length ?? 0), 0);

/** @returns undefined when it is large */
function unpackSmall(packed: Uint8Array): Buffer | undefined {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: MAX_INLINE_BYTES });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
