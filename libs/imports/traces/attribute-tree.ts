import { isObject, type Json } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { faultOfJson, parseIfJson } from './json-text.js';

/** Users and models wrote the values under these keys, so the keys inside them are not paths. */
const OWN_KEYS = wordSet(
  'messages system_instructions definitions json_schema parameters arguments content text value',
);
const MAX_PATH_PARTS = 16;
/** Advice for attributes that were cut by a length limit. */
export const IF_CUT =
  '. If a limit cut it, raise OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT or OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, or the ' +
  'limit of the tool that stored it';

/** The attributes of a span as one object, with their faults. */
export interface Expanded {
  /** The value under a dotted path. */
  at(path: string): Json | undefined;
  /** The first truncated or missing attribute under a path, as text: `"gen_ai.prompt.3" is missing`. */
  faultAt(path: string): string | undefined;
}

/**
 * Expands dotted attribute names, which may also be nested, into objects. An object whose keys are all numbers becomes
 * a list.
 */
export function expandAttributes(entries: Iterable<[string, Json]>): Expanded {
  const found = new Found();
  const tree = expand(entries, '', found);
  const faults = [...found.faults, ...found.textsAtLimit()];
  const isUnder = (path: string, root: string): boolean => path === root || path.startsWith(`${root}.`);
  return {
    at: (path) =>
      path
        .split('.')
        .reduce<Json | undefined>(
          (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
          tree,
        ),
    faultAt: (root) => {
      const fault = faults.find(([path]) => isUnder(path, root));
      return fault && `"${fault[0].slice(0, 200)}" ${fault[1]}`;
    },
  };
}

/** Evidence in a span's attributes of the length limits with which they were recorded. */
class Found {
  readonly faults: [path: string, fault: string][] = [];
  /** Texts that a limit may have cut without leaving a sign. */
  readonly #texts: [path: string, text: string][] = [];
  readonly #limits = new Set<number>();

  addText(path: string, text: string): void {
    const fault = faultOfJson(text);
    if (fault !== undefined) {
      this.faults.push([path, fault + IF_CUT]);
      for (const length of lengthsOf(text)) this.#limits.add(length);
    } else if (text.length >= MIN_LIMIT && typeof parseIfJson(text) === 'string') this.#texts.push([path, text]);
  }

  /**
   * The texts whose length equals that of a text that was certainly cut, or that share the maximum length, if it is a
   * round number.
   */
  textsAtLimit(): [string, string][] {
    const longest = this.#texts.reduce((most, [, text]) => Math.max(most, text.length), 0);
    const ends = new Set(this.#texts.flatMap(([, text]) => (text.length === longest ? [text] : [])));
    if (ends.size > 1 && isRound(longest)) this.#limits.add(longest);
    return this.#limits.size === 0
      ? []
      : this.#texts.flatMap(([path, text]): [string, string][] =>
          lengthsOf(text).some((length) => this.#limits.has(length))
            ? [[path, `is as long as others that are cut off, ${text.length} characters${IF_CUT}`]]
            : [],
        );
  }
}

/** Shorter texts have equal lengths by chance. */
const MIN_LIMIT = 32;
const isRound = (length: number): boolean =>
  length >= 64 && (length % 100 === 0 || length % 256 === 0 || Number.isInteger(Math.log2(length)));

/** In UTF-16 units, and in characters: SDKs count either. */
function lengthsOf(text: string): number[] {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00) pairs++;
  }
  return pairs === 0 ? [text.length] : [text.length, text.length - pairs];
}

function expand(entries: Iterable<[string, Json]>, at: string, found: Found): Json {
  const leaves = new Map<string, Json>();
  const branches = new Map<string, [string, Json][]>();
  const pathOf = (key: string): string => (at === '' ? key : `${at}.${key}`);
  for (const [key, value] of entries) {
    const dot = key.indexOf('.');
    const head = dot < 0 ? key : key.slice(0, dot);
    const rest: [string, Json][] =
      dot >= 0 ? [[key.slice(dot + 1), value]] : isObject(value) && !OWN_KEYS.has(key) ? Object.entries(value) : [];
    if (rest.length === 0) {
      leaves.set(key, OWN_KEYS.has(key) && typeof value !== 'string' ? value : expandValue(value, pathOf(key), found));
    } else if (key.split('.', MAX_PATH_PARTS + 1).length <= MAX_PATH_PARTS) {
      const branch = branches.get(head) ?? [];
      for (const entry of rest) branch.push(entry);
      branches.set(head, branch);
    }
  }
  const expandedEntries = [
    ...leaves,
    ...[...branches].map(([head, inner]): [string, Json] => [head, expand(inner, pathOf(head), found)]),
  ];
  const isList = expandedEntries.length > 0 && expandedEntries.every(([key]) => /^\d{1,9}$/.test(key));
  if (!isList) return Object.fromEntries(expandedEntries);
  const list = expandedEntries.sort(([a], [b]) => Number(a) - Number(b));
  const gap = list.findIndex(([key], index) => Number(key) !== index);
  if (gap >= 0)
    found.faults.push([
      pathOf(String(gap)),
      'is missing, and others after it are there: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT',
    ]);
  return list.map(([, value]) => value);
}

function expandValue(value: Json, at: string, found: Found): Json {
  if (Array.isArray(value)) return value.map((one, index) => expandValue(one, `${at}.${index}`, found));
  if (isObject(value)) return expand(Object.entries(value), at, found);
  if (typeof value === 'string') found.addText(at, value);
  return value;
}
