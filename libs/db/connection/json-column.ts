import { parseJson } from '#lib/contracts/json/json';

/** Parses a JSON column that holds what this code stored as `Value`. Numbers keep their text, as in `parseJson`. */
export const jsonColumn = <Value>(text: string): Value => parseJson(text) as unknown as Value;
