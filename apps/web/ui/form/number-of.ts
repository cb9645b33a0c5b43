import { parseJson, type Json } from '#lib/contracts/json/json';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** ".5" and "05" are numbers for people alone. */
const readNumber = (text: string): Json => parseJson(JSON_NUMBER.test(text) ? text : String(Number(text)));
/** The number that a person typed, in its own spelling; undefined if it is none. */
export const numberOf = (typed: string): Json | undefined =>
  NUMBER.test(typed.trim()) ? readNumber(typed.trim()) : undefined;
