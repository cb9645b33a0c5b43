import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';

/** More than a worker stores: replies of 16 MiB, and what a chain repeats of them in its requests. */
const MAX_EXCHANGE_BYTES = 64 * 2 ** 20;
/** The requests of a larger exchange are shown as they are stored. */
export const LARGE_EXCHANGE_BYTES = 2 ** 20;
const decompress = promisify(zstdDecompress);

/** The requests and replies of an item, as they went over the wire. */
export interface StoredExchange {
  requests: JsonObject[];
  replies: Json[];
  /** Of a chain that was played to its end: which of `replies` are those of its rounds. */
  rounds?: number[];
  refused?: number;
  isLarge: boolean;
}

/**
 * The JSON of an exchange.
 * @param packed as it is stored: zstd of JSON
 * @returns undefined when it has more bytes than `most`
 */
export async function exchangeJson(packed: Buffer, most = MAX_EXCHANGE_BYTES): Promise<Buffer | undefined> {
  try {
    return await decompress(packed, { maxOutputLength: most });
  } catch (error) {
    if (most < MAX_EXCHANGE_BYTES && (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

export function parseExchange(json: Buffer): StoredExchange | null {
  const exchange = json.length ? parseJson(json.toString('utf8')) : null;
  if (!isObject(exchange)) return null;
  return { ...(exchange as unknown as StoredExchange), isLarge: json.length > LARGE_EXCHANGE_BYTES };
}
