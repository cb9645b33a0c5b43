import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { parseJson } from '#lib/contracts/json/json';
import { runSerially } from '#lib/runtime/threads/large-work';
import type { Exchange } from './play-case.js';

/** Characters that are packed in this thread. */
const LARGE = 256 * 1024;

// In this thread: 17 to 23 microseconds for an exchange of a kilobyte, a quarter of what handing it to another
// thread costs. Small chunks, since what is kept of one is kept whole: by default 16 KiB for each exchange until it
// is settled.
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const packHere = (text: string): Buffer => zstdCompressSync(text, { params, chunkSize: 1024 });
const packElsewhere = promisify(zstdCompress);
const unpackElsewhere = promisify(zstdDecompress);

/** @param largeBytes about the size of its large replies; 0 where there are none */
export async function packExchange(exchange: Exchange, largeBytes: number): Promise<Buffer> {
  const requests = exchange.rounds?.length ?? 1;
  const text = await runSerially(() => JSON.stringify(exchange), largeBytes * requests);
  return text.length <= LARGE ? packHere(text) : packElsewhere(text, { params });
}

/**
 * Reads a stored exchange and does something with it.
 * @param large calls what works on a large exchange when there is room for one
 */
export async function unpackExchange<Made>(
  packed: Buffer,
  large: (work: () => Promise<Made>) => Promise<Made>,
  use: (exchange: Exchange) => Promise<Made>,
): Promise<Made> {
  const text = unpackSmall(packed);
  if (text !== undefined) return use(parseJson(text) as unknown as Exchange);
  return large(async () => {
    const long = (await unpackElsewhere(packed)).toString('utf8');
    return use(await runSerially(() => parseJson(long) as unknown as Exchange, long.length));
  });
}

/** @returns undefined when it is large */
function unpackSmall(packed: Buffer): string | undefined {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: LARGE }).toString('utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
