import { createHash, randomBytes } from 'node:crypto';

/** A UUIDv7 (RFC 9562): the millisecond, then 74 random bits. Ids of later milliseconds sort after earlier ones. */
export const newId = (nowMs: number = Date.now()): string => idOf(nowMs, randomBytes(16));

/** A UUIDv7 that is the same for the same moment and key, in every process. */
export const idOfKey = (atMs: number, key: string): string =>
  idOf(atMs, createHash('sha256').update(key).digest().subarray(0, 16));

function idOf(atMs: number, bytes: Buffer): string {
  bytes.writeUIntBE(atMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Several ids, in ascending order. */
export const newIds = (count: number): string[] => Array.from({ length: count }, () => newId()).sort();

const OWN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Whether a text has the form of an id of `newId`. */
export const hasFormOfId = (text: string): boolean => OWN_ID.test(text);

/** The creation time of an id of `newId`. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
