import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import type { Json } from '#lib/contracts/json/json';
import type { Account } from '#lib/db/engine/store-rounds';
import { runSerially } from '#lib/runtime/threads/large-work';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import { MANY_VALUES } from '#lib/providers/reading/count-values';
import { readPacked, type NewExchange, type ReadExchange } from '../../scoring/exchange.js';

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
  const read = readPacked(packed, { bytes: MAX_INLINE_BYTES, values: MANY_VALUES });
  if ('exchange' in read) return use(read.exchange);
  return large.whenFree(async () => use(await large.read(packed)));
}
