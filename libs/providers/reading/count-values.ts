import { MAX_JSON_DEPTH } from '#lib/contracts/json/json';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Counts what a JSON text will be as values, before it is parsed: each comma, list and object outside of strings. Stops
 * at the first bound that the text goes beyond.
 * @param json UTF-8
 */
export function countValues(
  json: Uint8Array,
  { maxValues = Infinity, maxDepth = Infinity } = {},
): { values: number; depth: number } {
  let [values, level, depth] = [1, 0, 0];
  for (let at = 0; at < json.length && values <= maxValues && depth <= maxDepth; at++) {
    switch (json[at]) {
      case QUOTE:
        for (at++; at < json.length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++level > depth) depth = level;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level--;
    }
  }
  return { values, depth };
}

/** To parse more values takes more than 20 ms, however few bytes they are. */
export const MANY_VALUES = 20_000;

/** A value takes a byte at least. */
export const holdsManyValues = (json: Uint8Array): boolean =>
  json.length > MANY_VALUES && countValues(json, { maxValues: MANY_VALUES }).values > MANY_VALUES;

export const tooManyValues = (most: number): string => `holds more than ${most.toLocaleString('en')} values`;

/** Says which bound a JSON text goes beyond, so that nobody parses it; undefined when it stays below. */
export function exceededBound(json: Uint8Array, maxValues: number): string | undefined {
  const { values, depth } = countValues(json, { maxValues, maxDepth: MAX_JSON_DEPTH });
  if (values > maxValues) return tooManyValues(maxValues);
  return depth > MAX_JSON_DEPTH ? `is nested deeper than ${MAX_JSON_DEPTH} levels` : undefined;
}
