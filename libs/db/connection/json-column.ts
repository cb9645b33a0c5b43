import { parseJson } from '#lib/contracts/json/json';

/** Parses a JSON column that holds what this code stored as `Value`. Numbers keep their text, as in `parseJson`. */
export const jsonColumn = <Value>(text: string): Value => parseJson(text) as unknown as Value;

/** The value of a column that may be null. */
export const nullableJsonColumn = <Value>(text: string | null): Value | null =>
  text === null ? null : jsonColumn<Value>(text);
