import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { parseJson } from '#lib/contracts/json';
import { oneAtATime } from '#lib/runtime/large-work';
import type { Exchange } from './play-case.js';

/** Characters that are packed in this thread. */
const LARGE = 256 * 1024;

// In this thread: 17 to 23 microseconds for an exchange of a kilobyte, a quarter of what handing it to another thread costs. Small
// chunks, since what is kept of one is kept whole: by default 16 KiB for each exchange until it is settled.
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const packHere = (text: string): Buffer => zstdCompressSync(text, { params, chunkSize: 1024 });
const packElsewhere = promisify(zstdCompress);
const unpackElsewhere = promisify(zstdDecompress);

/** @param largeBytes about the size of its large replies; 0 where there are none */
export async function packExchange(exchange: Exchange, largeBytes: number): Promise<Buffer> {
  const requests = exchange.rounds?.length ?? 1;
  const text = await oneAtATime(() => JSON.stringify(exchange), largeBytes * requests);
  return text.length <= LARGE ? packHere(text) : packElsewhere(text, { params });
}

/** Reads a stored exchange; a large one costs others no more than a moment. */
export async function unpackExchange(packed: Buffer): Promise<Exchange> {
  let text: string;
  try {
    text = zstdDecompressSync(packed, { maxOutputLength: LARGE }).toString('utf8');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    text = (await unpackElsewhere(packed)).toString('utf8');
  }
  return oneAtATime(() => parseJson(text) as unknown as Exchange, text.length);
}
