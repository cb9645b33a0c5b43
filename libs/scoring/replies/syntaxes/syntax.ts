import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { CallSyntax } from '#lib/contracts/verdict';
import { findJsonSpans } from '../json-in-text.js';

/** A call as written in a text. Its arguments are JSON text, an object, or undefined if it has none. */
export interface WrittenCall {
  name: string;
  arguments: Json | undefined;
}

/** Calls, and the position after them. */
export interface CallsInSyntax {
  calls: WrittenCall[];
  end: number;
}

/** The call syntax of a family of open models, for calls that the host left in the text. */
export interface Syntax {
  id: CallSyntax;
  /** Each of these starts a call. */
  marks: readonly string[];
  /**
   * Reads the text after a mark, in time linear in the length read.
   * @param at the end of the mark
   * @returns undefined if this is not a call
   */
  read(text: MarkedText, at: number, mark: string): CallsInSyntax | undefined;
}

/** A text that is searched from start to end. */
export class MarkedText {
  readonly #found = new Map<string, number>();

  constructor(
    readonly text: string,
    /** The tools of the case by lower-case name. */
    readonly tools: ReadonlyMap<string, Tool>,
  ) {}

  /**
   * Like `indexOf`, but returns the end of the text if there is no match. Repeated searches for the same mark take
   * linear time in total, as long as `from` does not decrease.
   */
  find(mark: string, from: number): number {
    let found = this.#found.get(mark);
    if (found === undefined || found < from) {
      const index = this.text.indexOf(mark, from);
      this.#found.set(mark, (found = index < 0 ? this.text.length : index));
    }
    return found;
  }

  /** The position of the first of several marks; the end of the text if there is none. */
  findFirst(marks: readonly string[], from: number): number {
    return Math.min(...marks.map((mark) => this.find(mark, from)));
  }

  /** Matches a sticky pattern at a position. */
  match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  parametersOf(name: string): JsonObject {
    const parameters = this.tools.get(name.toLowerCase())?.function.parameters;
    return isObject(parameters?.properties) ? parameters.properties : {};
  }
}

/** Parses a text as JSON; undefined if it is not JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The JSON values in a part of a text. */
export const jsonValuesIn = (text: string): Json[] =>
  [...findJsonSpans(text)].flatMap(([start, end]) => jsonOf(text.slice(start, end)) ?? []);

/** The first JSON object of a text, as text; the whole text if there is none, which is then malformed. */
export function objectTextIn(text: string): string {
  for (const [start, end] of findJsonSpans(text)) if (text[start] === '{') return text.slice(start, end);
  return text.trim();
}

const withoutLineBreaks = (text: string): string => text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');

/** Converts an argument written as plain text to the type that its tool declares for it. */
export function valueOf(text: string, schema: Json | undefined): Json {
  const plain = withoutLineBreaks(text);
  const types = typesIn(schema);
  if (types.size === 1 && types.has('string')) return plain;
  const word = plain.trim();
  const value = WORDS.has(word) ? WORDS.get(word)! : jsonOf(word);
  if (value === undefined) return plain;
  if (types.has('string') && !types.has(typeOf(value))) return plain;
  return typeof value === 'string' && types.size === 0 ? plain : value;
}

/** Python's literals for JSON's. */
const WORDS = new Map<string, Json>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

function typesIn(schema: Json | undefined): Set<string> {
  if (!isObject(schema)) return new Set();
  const { type, anyOf, oneOf } = schema;
  const own = [type].flat().filter((one) => typeof one === 'string');
  const others = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 20) : []));
  return new Set([
    ...own,
    ...others.flatMap((one) => (isObject(one) ? [one.type].flat().filter((name) => typeof name === 'string') : [])),
  ]);
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number';
}

/** The name of a function without the namespace prefix that some models write, and without the trailing number. */
export const plainName = (name: string): string =>
  name
    .trim()
    .replace(/^functions\./, '')
    .replace(/:\d{1,6}$/, '');

/** Sets a key chosen by a model, which may be `__proto__`. */
export const setArgument = (target: JsonObject, key: string, value: Json): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};
