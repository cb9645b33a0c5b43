import type { PatchOperation } from '#lib/contracts/conversation';
import type { Change } from '#lib/contracts/conversation-played';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { equalJson } from '../arguments/match-arguments.js';
import { exceedsState, measure } from './measure.js';
import { childOf, indexOf, keysOf, valueAt } from './pointer.js';

/** An operation that does not apply. Its message is a sentence. */
export class PatchFault extends Error {
  constructor(
    /** Index of the operation. */
    readonly operation: number,
    message: string,
    /** Whether the state became too large on the way. */
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}

export interface Patched {
  state: Json;
  /** What changed, with values and places as they were; `test` changes nothing. */
  changes: Change[];
}

/** A larger value that was there before is not recorded. */
const MAX_WAS_BYTES = 1024;
const wasOf = (was: Json | undefined): Pick<Change, 'was'> =>
  was === undefined || measure(was).bytes > MAX_WAS_BYTES ? {} : { was };

/** A state on the way may be larger than one after a call, but not without end: `copy` can double it. */
const ON_THE_WAY = 4;

/**
 * Applies a JSON Patch (RFC 6902), whole or not at all. The given state stays unchanged; the new one shares
 * all parts that did not change.
 * @throws PatchFault
 */
export function applyPatch(state: Json, operations: readonly (PatchOperation | Change)[]): Patched {
  const changes: Change[] = [];
  let current = state;
  for (const [index, operation] of operations.entries()) {
    try {
      const change = applyOne(current, operation);
      if (!change) continue;
      current = change.state;
      changes.push(change.change);
    } catch (error) {
      throw error instanceof Refusal ? new PatchFault(index, error.message) : error;
    }
    if (exceedsState(current, ON_THE_WAY)) throw new PatchFault(index, 'The state becomes too large.', true);
  }
  return { state: current, changes };
}

class Refusal extends Error {}
const NO_PROTOTYPE_KEY = '"__proto__" cannot be a key of the state.';

const show = (pointer: string): string => (pointer === '' ? 'the whole state' : `"${pointer}"`);

function existing(state: Json, pointer: string): Json {
  const value = valueAt(state, pointer);
  if (value === undefined) throw new Refusal(`The state has nothing at ${show(pointer)}.`);
  return value;
}

/** @returns undefined when a test held */
function applyOne(state: Json, operation: PatchOperation | Change): { state: Json; change: Change } | undefined {
  const { op, path } = operation;
  const from = 'from' in operation ? operation.from! : path;
  switch (op) {
    case 'test':
      if (!equalJson(existing(state, path), operation.value!))
        throw new Refusal(`The state at ${show(path)} is not the tested value.`);
      return undefined;
    case 'add':
      return added(state, path, operation.value!, { op, value: operation.value! });
    case 'replace': {
      const was = existing(state, path);
      return {
        state: put(state, path, operation.value!, 'replace').state,
        change: { op, path, value: operation.value!, ...wasOf(was) },
      };
    }
    case 'remove': {
      const was = existing(state, path);
      return { state: removed(state, path), change: { op, path, ...wasOf(was) } };
    }
    case 'copy':
      return added(state, path, existing(state, from), { op, from });
    case 'move': {
      const moved = existing(state, from);
      if (from === path) return { state, change: { op, from, path } };
      if (path.startsWith(`${from}/`)) throw new Refusal(`${show(from)} cannot move into itself, to ${show(path)}.`);
      return added(removed(state, from), path, moved, { op, from });
    }
  }
}

function added(state: Json, path: string, value: Json, change: Pick<Change, 'op' | 'from' | 'value'>) {
  const done = put(state, path, value, 'add');
  return {
    state: done.state,
    change: { ...change, path: done.path, ...wasOf(done.was) } as Change,
  };
}

/** Puts a value in its place: `add` inserts into lists. @returns the place, with an index instead of `-` */
function put(
  state: Json,
  path: string,
  value: Json,
  how: 'add' | 'replace',
): { state: Json; path: string; was?: Json } {
  if (measure(value).hasPrototypeKey) throw new Refusal(NO_PROTOTYPE_KEY);
  if (path === '') return { state: value, path, was: state };
  const keys = keysOf(path);
  const last = keys.pop()!;
  const parentPath = path.slice(0, path.lastIndexOf('/'));
  const parent = existing(state, parentPath);
  if (Array.isArray(parent)) {
    const index = how === 'add' && last === '-' ? parent.length : indexOf(last);
    if (index === undefined || index > parent.length)
      throw new Refusal(`The list at ${show(parentPath)} has ${parent.length} items, and no place "${last}".`);
    const items = how === 'add' ? parent.toSpliced(index, 0, value) : parent.with(index, value);
    return { state: replaceAt(state, keys, items), path: `${parentPath}/${index}` };
  }
  if (!isObject(parent)) throw new Refusal(`The state has no list or object at ${show(parentPath)}.`);
  if (last === '__proto__') throw new Refusal(NO_PROTOTYPE_KEY);
  const was = childOf(parent, last);
  return { state: replaceAt(state, keys, { ...parent, [last]: value }), path, ...(was !== undefined && { was }) };
}

function removed(state: Json, path: string): Json {
  if (path === '') throw new Refusal('The whole state cannot be removed.');
  const keys = keysOf(path);
  const last = keys.pop()!;
  const parent = existing(state, path.slice(0, path.lastIndexOf('/'))) as Json[] | JsonObject;
  if (Array.isArray(parent)) return replaceAt(state, keys, parent.toSpliced(indexOf(last)!, 1));
  const { [last]: _removed, ...rest } = parent;
  return replaceAt(state, keys, rest);
}

/** The state with another value at existing keys. Only what is on the way is copied. */
function replaceAt(state: Json, keys: readonly string[], value: Json): Json {
  const parents: Json[] = [];
  let at = state;
  for (const key of keys) {
    parents.push(at);
    at = childOf(at, key)!;
  }
  let made = value;
  for (let index = keys.length - 1; index >= 0; index--) {
    const [parent, key] = [parents[index]!, keys[index]!];
    made = Array.isArray(parent) ? parent.with(indexOf(key)!, made) : withOwn(parent as JsonObject, key, made);
  }
  return made;
}

/** A copy with one other value; a key `__proto__`, which only parsed JSON has, stays a plain key. */
function withOwn(parent: JsonObject, key: string, value: Json): JsonObject {
  const copy = { ...parent };
  Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}
