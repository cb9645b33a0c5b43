import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { memoize } from '#lib/contracts/memoize';
import type { Note } from './note.js';

/** The tool names that a host accepts. */
export interface NameRule {
  accepts: RegExp;
  /** Characters that are replaced with "_". */
  invalidCharacters: RegExp;
  description: string;
}

/**
 * OpenAI's rule in both APIs: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64"
 * (`FunctionDefinition` in its SDK; its error has the pattern ^[a-zA-Z0-9_-]+$, and so have Groq's and DeepSeek's). The
 * rule of a compatible host is not known in advance, and a host that accepts dots loses nothing if names have none.
 * Anthropic's error has the pattern ^[a-zA-Z0-9_-]{1,128}$, Bedrock's has 64 instead of 128.
 */
export const OPENAI_NAMES: NameRule = {
  accepts: /^[a-zA-Z0-9_-]{1,64}$/,
  invalidCharacters: /[^a-zA-Z0-9_-]/gu,
  description: 'letters, digits, "_" and "-"',
};

/** Replacements of names. */
type Names = ReadonlyMap<string, string>;

const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 6;
const NO_NAMES: Names = new Map();

/**
 * Replaces tool names that a host would reject. `a.b` becomes `a_b`. If another tool has that name, or two tools would
 * get it, a hash of the original name is appended. The order of the tools makes no difference.
 * @param tools the tools of a request
 * @returns the replacements by original name; empty if the host accepts all names
 */
export const wireNames = (rule: NameRule, tools: Json | undefined): Names => namesOf(rule, tools).sent;

const namesOf = (rule: NameRule, tools: Json | undefined) =>
  Array.isArray(tools) ? namesBy(rule)(tools) : { own: new Set<string>(), sent: NO_NAMES };

const namesBy = memoize((rule: NameRule) =>
  memoize((tools: Json[]): { own: ReadonlySet<string>; sent: Names } => {
    const own = new Set(textsAt({ tools }, [TOOL_NAME_PATHS]));
    const refused = [...own].filter((name) => !rule.accepts.test(name)).sort();
    const taken = new Set([...own].filter((name) => rule.accepts.test(name)));
    const wanted = refused.map((name) => plain(rule, name));
    const alone = (name: string): boolean => !taken.has(name) && wanted.indexOf(name) === wanted.lastIndexOf(name);
    const sent = new Map(refused.flatMap((name, index) => (alone(wanted[index]!) ? [[name, wanted[index]!]] : [])));
    for (const name of sent.values()) taken.add(name);
    for (const name of refused) if (!sent.has(name)) sent.set(name, reserveName(taken, withHash(rule, name, taken)));
    return { own, sent };
  }),
);

/**
 * A request with names that its host accepts, and the reverse map. The conversation may contain calls of names that no
 * tool has (a model made them up, or a case's own messages contain them). If such a name collides with that of a tool,
 * the tool keeps it.
 */
export function withWireNames(body: JsonObject, rule: NameRule): { named: JsonObject; ownNames: Names; notes: Note[] } {
  const ofTools = namesOf(rule, body.tools);
  const called = new Set(textsAt(body, CALL_NAME_PATHS).filter((name) => !ofTools.own.has(name)));
  const sent = new Map(ofTools.sent);
  const taken = new Set([...ofTools.own].map((name) => sent.get(name) ?? name));
  for (const name of called) {
    const wanted = rule.accepts.test(name) ? name : plain(rule, name);
    const other = reserveName(taken, taken.has(wanted) ? withHash(rule, name, taken) : wanted);
    if (other !== name) sent.set(name, other);
  }
  if (sent.size === 0) return { named: body, ownNames: NO_NAMES, notes: [] };
  const [[name, other]] = sent as unknown as [[string, string]];
  const message =
    `This API accepts tool names of up to ${MAX_NAME_LENGTH} ${rule.description}, so some were renamed: ` +
    `${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))} as "${other}", for example. Results have the suite's names.`;
  return {
    named: renameAt(body, [TOOL_NAME_PATHS, ...CALL_NAME_PATHS], sent),
    ownNames: invert(sent),
    notes: [{ what: 'tool-names', message }],
  };
}

export const invert = (names: Names): Names => new Map([...names].map(([name, other]) => [other, name]));

/** Replaces names at the given paths. Copies only what changes. */
export const renameAt = <Value extends Json>(value: Value, places: readonly string[], names: Names): Value =>
  names.size === 0
    ? value
    : places.reduce(
        (changed, place) => changedAt(changed, place.split('.'), (name) => names.get(name) ?? name) as Value,
        value,
      );

const TOOL_NAME_PATHS = 'tools.*.function.name';
/**
 * Paths in a request, under OpenAI's names. Original parts of replies, which are sent back unchanged, use those of
 * their format.
 */
const CALL_NAME_PATHS = [
  'tool_choice.function.name',
  'messages.*.tool_calls.*.function.name',
  'messages.*.function_call.name',
  'messages.*tool.name',
  'messages.*.content_blocks.*.name',
  'messages.*.output_items.*.name',
];

function textsAt(value: Json, places: readonly string[]): string[] {
  const found: string[] = [];
  for (const place of places) changedAt(value, place.split('.'), (text) => (found.push(text), text));
  return found;
}

/** @param path a list of keys; `*` is each item of a list, `*tool` each item with that role */
function changedAt(value: Json, [key, ...rest]: readonly string[], change: (text: string) => string): Json {
  if (key === undefined) return typeof value === 'string' ? change(value) : value;
  if (key === '*') return Array.isArray(value) ? value.map((item) => changedAt(item, rest, change)) : value;
  if (key === '*tool')
    return Array.isArray(value)
      ? value.map((item) => (isObject(item) && item.role === 'tool' ? changedAt(item, rest, change) : item))
      : value;
  if (!isObject(value) || value[key] === undefined) return value;
  return { ...value, [key]: changedAt(value[key], rest, change) };
}

const reserveName = (taken: Set<string>, name: string): string => (taken.add(name), name);

/** The closest name that the host accepts. */
function plain(rule: NameRule, name: string): string {
  const all = name.slice(0, MAX_NAME_LENGTH).replace(rule.invalidCharacters, '_');
  return rule.accepts.test(all) ? all : `_${all}`.slice(0, MAX_NAME_LENGTH);
}

/** An unused name, derived only from the given one. Taken names matter only if hashes collide. */
function withHash(rule: NameRule, name: string, taken: ReadonlySet<string>): string {
  const begin = plain(rule, name).slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1);
  for (let hash = name; ;) {
    hash = createHash('sha256').update(hash).digest('hex');
    const found = `${begin}_${hash.slice(0, HASH_LENGTH)}`;
    if (!taken.has(found)) return found;
  }
}
