import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { isJoined, joinExchange, partsOf } from './exchange-parts.js';

/** More than a worker stores: replies of 16 MiB, plus the parts of them that a chain repeats in its requests. */
const MAX_EXCHANGE_BYTES = 64 * 2 ** 20;
/** The requests of a larger exchange are shown as stored. */
export const LARGE_EXCHANGE_BYTES = 2 ** 20;
const decompress = promisify(zstdDecompress);

/** The requests and replies of an item, as sent over the wire. */
export interface StoredExchange {
  requests: JsonObject[];
  replies: Json[];
  /** For a chain that was played to its end: the indexes in `replies` of its rounds. */
  rounds?: number[];
  refused?: number;
  /** What followed each reply of a conversation. */
  conversation?: PlayedRound[];
  isLarge: boolean;
}

/**
 * The JSON of an exchange.
 * @param packed as stored: zstd of JSON, or the parts of a conversation (`wholeExchange`)
 * @returns undefined when it exceeds `most` bytes
 */
export async function exchangeJson(packed: Buffer, most = MAX_EXCHANGE_BYTES): Promise<Buffer | undefined> {
  try {
    if (!isJoined(packed)) return await decompress(packed, { maxOutputLength: most });
    const parts = partsOf(packed);
    const read: Json[] = [];
    let left = most;
    for (const part of parts) {
      const json = await decompress(part, { maxOutputLength: Math.max(1, left) });
      left -= json.length;
      read.push(parseJson(json.toString('utf8')));
    }
    return Buffer.from(JSON.stringify(joinExchange(read)));
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
