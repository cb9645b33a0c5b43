import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';

/** More than a worker stores: replies of 16 MiB, and what a chain repeats of them in its requests. */
const MAX_EXCHANGE_BYTES = 64 * 2 ** 20;
/** The requests of a larger exchange are shown as they are stored. */
const LARGE_EXCHANGE_BYTES = 2 ** 20;
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

/** @param body as it is stored, zstd of JSON; empty where nothing was kept */
export async function unpackExchange(body: Buffer | null | undefined): Promise<StoredExchange | null> {
  if (!body?.length) return null;
  const text = (await decompress(body, { maxOutputLength: MAX_EXCHANGE_BYTES })).toString('utf8');
  const exchange = text ? parseJson(text) : null;
  if (!isObject(exchange)) return null;
  return { ...(exchange as unknown as StoredExchange), isLarge: text.length > LARGE_EXCHANGE_BYTES };
}
