import { isNumber, isObject, numberSource, type Json, type JsonObject, type RawNumber } from '#lib/contracts/json/json';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import { sameNumber } from '../arguments/decimal.js';
import { escapeKey } from './pointer.js';

/** `{{` is a brace, `{name}` an argument whose name begins with a letter or `_`. Other braces are themselves. */
export const PLACEHOLDER = /\{\{|\{([\p{L}_][^{}]*)\}/gu;

/** The names of arguments in a text or pointer. */
export const namesIn = (text: string): string[] =>
  text.includes('{') ? [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []) : [];

/** A number as text: 17.0 and 17 are the same. */
function numberText(value: number | RawNumber): string {
  const source = numberSource(value);
  const plain = Number(source);
  return Number.isFinite(plain) && sameNumber(plain, value) ? String(plain) : source;
}

/** The text of an argument that is a text, a number or a boolean; undefined for all else. */
function scalarText(args: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name]! : null;
  if (typeof value === 'string') return value;
  if (isNumber(value)) return numberText(value);
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** The first characters of a text, none of them halved. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Arguments of a call are missing that a rule needs: it does not match. */
export class MissingArgument extends Error {}

function fill(text: string, args: JsonObject, form: (value: string) => string): string {
  if (!text.includes('{')) return text;
  return text.replace(PLACEHOLDER, (whole, name: string | undefined) => {
    if (whole === '{{') return '{';
    const value = scalarText(args, name!);
    if (value === undefined) throw new MissingArgument();
    return form(value);
  });
}

/** @throws MissingArgument */
export const fillPointer = (pointer: string, args: JsonObject): string => fill(pointer, args, escapeKey);
/** @throws MissingArgument */
export const fillText = (text: string, args: JsonObject): string =>
  fill(text, args, (value) => firstCharacters(value, CONVERSATION_BOUNDS.argument));

export type Reference = { $state: string } | { $argument: string };

/** Whether a value stands for another one: `{"$state": pointer}` or `{"$argument": pointer}`, and no other key. */
export function isReference(value: Json): value is Reference & JsonObject {
  // Asked of values with very many keys: they are counted last.
  if (!isObject(value) || typeof (value.$state ?? value.$argument) !== 'string') return false;
  return Object.keys(value).length === 1;
}
