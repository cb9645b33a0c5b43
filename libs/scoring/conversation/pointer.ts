import { isObject, type Json } from '#lib/contracts/json/json';

/** The keys of a JSON Pointer (RFC 6901). */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

export const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const INDEX = /^(?:0|[1-9]\d*)$/;
/** The index in a list that a key names: digits without a leading zero. `-` and all else name none. */
export const indexOf = (key: string): number | undefined => (INDEX.test(key) ? Number(key) : undefined);

/** The child under a key; undefined for none. Only a value's own keys count, never those of its prototype. */
export function childOf(value: Json, key: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(key);
    return index === undefined ? undefined : value[index];
  }
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a JSON Pointer; undefined for none. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const key of keysOf(pointer)) {
    if (value === undefined) return undefined;
    value = childOf(value, key);
  }
  return value;
}
