import { isNumber, numberSource, parseJson, toText, type Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { numberOf } from '../../../ui/form/number-of.js';
import type { ArgumentKind } from './argument-rows.js';

interface Spelling {
  /** How a value is written. */
  write: (value: Json) => string;
  /** The value of a text, undefined if it has none. */
  read: (text: string) => Json | undefined;
  isLine: boolean;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const jsonOf = (text: string): Json | undefined => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** What is not JSON is a text. */
const readFree = (text: string): Json => {
  const value = jsonOf(text);
  return value === undefined ? text.trim() : value;
};

/** A text needs quotation marks only where it would be read as something else. */
export const writeFree = (value: Json): string =>
  typeof value === 'string' && value !== '' && value.trim() === value && jsonOf(value) === undefined
    ? value
    : stringifyInSourceOrder(value);
const numbersOf = (text: string): Json | undefined => {
  const numbers = linesOf(text).map(numberOf);
  return numbers.includes(undefined) ? undefined : (numbers as Json[]);
};

/** How values are typed that are not plain texts. */
export const SPELLINGS: Record<Exclude<ArgumentKind, 'text' | 'boolean' | 'choice'>, Spelling> = {
  number: { write: (value) => (isNumber(value) ? numberSource(value) : toText(value)), read: numberOf, isLine: true },
  texts: { write: (value) => [value].flat().map(toText).join('\n'), read: linesOf, isLine: false },
  numbers: { write: (value) => [value].flat().map(toText).join('\n'), read: numbersOf, isLine: false },
  json: { write: stringifyInSourceOrder, read: jsonOf, isLine: false },
  free: { write: writeFree, read: readFree, isLine: false },
};
