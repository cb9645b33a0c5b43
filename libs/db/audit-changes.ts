import { isDeepStrictEqual } from 'node:util';
import { isNumber, isObject } from '#lib/contracts/json/json';
import { sha256 } from '#lib/runtime/seal';

/** A field that a change gave another value; null where there is none. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Something before and after a change: its fields, whose names tell what is secret and what people wrote. */
export interface Change {
  before?: object | undefined;
  after?: object | undefined;
}

/** Maximum size of a value as JSON. */
export const MAX_VALUE_BYTES = 1024;
/** Maximum size of the changes of one entry as JSON. */
export const MAX_CHANGES_BYTES = 16 * 1024;
/** Bytes kept free for the entry that counts the fields left out. */
const LAST_BYTES = 100;
const MAX_FIELD_CHARACTERS = 200;
const MAX_DEPTH = 8;
/** A longer string among parameters may hold a prompt. */
const MAX_PARAM_CHARACTERS = 100;

/** What names hold or end with, without case and punctuation: `X-Api-Key` and `api_key` are `apikey`. */
const SECRETS = new RegExp(
  [
    // Names of headers are not secrets; their values are.
    '^(token|auth|jwt|pwd|pass)$|header(?!names$)',
    'secret|passw(or)?d|passphrase|credential|authorization|cookie',
    // The key of a provider is its name.
    '(?<!provider)keys?$',
    '(access|refresh|bearer|admin|auth|api|id|session)token$',
  ].join('|'),
);
const WRITING = new RegExp(
  [
    '^(messages?|tools|conversation|cases?|testcases?|components?|body|texts?|content|notes?)$',
    '^(instructions|rubric|template)$',
    '^(repl(y|ies)|responses?)$',
    // Ids are not writing.
    'fewshot|prompt(?!(version)?(ids?)?$)|prompts?$',
  ].join('|'),
);
const PARAMS = /params$/;

/**
 * The fields that differ between two states, for people to read: without secrets, with digests of prompts and other
 * writing, each value cut to `MAX_VALUE_BYTES`. The fields of an object count one by one (`prices.input`). What is
 * created has no `before`, what is deleted no `after`.
 */
export function changesBetween({ before, after }: Change): FieldChange[] {
  const [old, current] = [fieldsOf(before, after), fieldsOf(after, before)];
  const differing = [...new Set([...old.keys(), ...current.keys()])].filter(
    (name) => !isDeepStrictEqual(old.get(name)?.value, current.get(name)?.value),
  );
  const changes: FieldChange[] = [];
  let bytes = '[]'.length;
  for (const [index, name] of differing.entries()) {
    const { path } = (old.get(name) ?? current.get(name))!;
    const change = {
      field: cut(path.join('.'), MAX_FIELD_CHARACTERS),
      before: readable(old.get(name)?.value, path),
      after: readable(current.get(name)?.value, path),
    };
    bytes += bytesOf(change) + ','.length;
    if (bytes > MAX_CHANGES_BYTES - LAST_BYTES) {
      const field = `(${(differing.length - index).toLocaleString('en')} more fields)`;
      return [...changes, { field, before: null, after: null }];
    }
    changes.push(change);
  }
  return changes;
}

interface Field {
  path: string[];
  value: unknown;
}

/** Fields by name. An object counts as its fields if the other side has an object or nothing in its place. */
function fieldsOf(state: object = {}, other: object = {}): Map<string, Field> {
  const others = new Map<string, unknown>(Object.entries(other));
  const fields = Object.entries(state).flatMap(([name, value]: [string, unknown]): Field[] => {
    const across = others.get(name);
    const isSplit = isPlain(value) && (isPlain(across) || isAbsent(across)) && !isNamed(SECRETS, name);
    const inner = isSplit ? Object.entries(value) : [];
    if (inner.length === 0) return [{ path: [name], value }];
    return inner.map(([key, of]) => ({ path: [name, key], value: of }));
  });
  return new Map(
    fields.filter(({ value }) => !isAbsent(value)).map((field) => [JSON.stringify(field.path), field] as const),
  );
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
const isPlain = (value: unknown): value is Record<string, unknown> => isObject(value) && !(value instanceof Date);
const isNamed = (names: RegExp, name: string): boolean => names.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** A value as people may read it, in at most `MAX_VALUE_BYTES`. */
function readable(value: unknown, path: readonly string[]): unknown {
  const shown = withoutSecrets(value, path);
  if (bytesOf(shown) <= MAX_VALUE_BYTES) return shown;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  for (let characters = MAX_VALUE_BYTES; ; characters = Math.floor(characters * 0.7)) {
    const part = `${cut(text, characters)} (${charactersOf(text)})`;
    if (bytesOf(part) <= MAX_VALUE_BYTES) return part;
  }
}

/** @param path the names that lead to the value */
function withoutSecrets(value: unknown, path: readonly string[]): unknown {
  if (isAbsent(value)) return null;
  if (typeof value === 'boolean') return value;
  if (path.some((name) => isNamed(SECRETS, name))) return '(secret)';
  if (isNumber(value)) return value;
  if (path.some((name) => isNamed(WRITING, name))) return digest(value);
  if (typeof value === 'string') {
    const isLongParam = value.length > MAX_PARAM_CHARACTERS && path.some((name) => isNamed(PARAMS, name));
    return isLongParam ? digest(value) : withoutCredentials(value);
  }
  if (path.length > MAX_DEPTH) return '(nested)';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, [...path, '']));
  if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, [...path, key])]),
    );
  return value instanceof Date ? value : String(value);
}

/** Addresses, also without a scheme, without user, password, query and fragment. */
const withoutCredentials = (text: string): string =>
  text
    .replaceAll(/\/\/[^\s/]*@/g, '//(secret)@')
    .replaceAll(/(\/\/[^\s?#]*)(?:([?#])\S*)?/g, (_whole, address: string, mark?: string) =>
      mark ? `${address}${mark}(secret)` : address,
    );

/** Tells texts apart without quoting them. */
function digest(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `sha256:${sha256(text).slice(0, 12)} (${charactersOf(text)})`;
}

const charactersOf = (text: string): string =>
  `${text.length.toLocaleString('en')} character${text.length === 1 ? '' : 's'}`;
const cut = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
