import { countValues } from '#lib/contracts/json/count-values';
import { MAX_JSON_DEPTH } from '#lib/contracts/json/json';

/** Parsing more values takes more than 20 ms, however few bytes they are. */
export const MANY_VALUES = 20_000;

/** A value takes at least one byte. */
export const holdsManyValues = (json: Uint8Array): boolean =>
  json.length > MANY_VALUES && countValues(json, { maxValues: MANY_VALUES }).values > MANY_VALUES;

export const tooManyValues = (most: number): string => `holds more than ${most.toLocaleString('en')} values`;

/** Says which bound a JSON text exceeds, so that it is not parsed; undefined if it exceeds none. */
export function exceededBound(json: Uint8Array, maxValues: number): string | undefined {
  const { values, depth } = countValues(json, { maxValues, maxDepth: MAX_JSON_DEPTH });
  if (values > maxValues) return tooManyValues(maxValues);
  return depth > MAX_JSON_DEPTH ? `is nested deeper than ${MAX_JSON_DEPTH} levels` : undefined;
}
