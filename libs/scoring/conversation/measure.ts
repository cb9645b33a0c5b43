import { isNumber, isObject, numberSource, type Json } from '#lib/contracts/json/json';
import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';

/** The size of a value: bytes of its JSON in UTF-8, and levels of lists and objects. */
export interface Size {
  bytes: number;
  depth: number;
  /** Whether it has a key `__proto__` anywhere. */
  hasPrototypeKey: boolean;
}

/** States share their parts and never change, so a part is measured once. */
const known = new WeakMap<object, Size>();
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    const isPair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += code < 0x800 ? 1 : 2;
    if (isPair) at++; // Two units, four bytes.
  }
  return bytes;
}

const textBytes = (text: string): number => (PLAIN.test(text) ? text.length + 2 : utf8Length(JSON.stringify(text)));

const scalar = (bytes: number): Size => ({ bytes, depth: 0, hasPrototypeKey: false });

/** Measures a value that nobody changes. It takes as long as what was not measured before. */
export function measure(value: Json): Size {
  if (typeof value === 'string') return scalar(textBytes(value));
  if (isNumber(value)) return scalar(numberSource(value).length);
  if (typeof value !== 'object' || value === null) return scalar(String(value).length);
  let size = known.get(value);
  if (size) return size;
  let [bytes, depth, members] = [2, 0, 0];
  let hasPrototypeKey = Object.hasOwn(value, '__proto__');
  const add = (member: Json, extra: number): void => {
    const inner = measure(member);
    bytes += inner.bytes + extra + (members++ > 0 ? 1 : 0);
    depth = Math.max(depth, inner.depth);
    hasPrototypeKey ||= inner.hasPrototypeKey;
  };
  if (Array.isArray(value)) for (const item of value) add(item, 0);
  else if (isObject(value)) for (const key of Object.keys(value)) add(value[key]!, textBytes(key) + 1);
  known.set(value, (size = { bytes, depth: depth + 1, hasPrototypeKey }));
  return size;
}

/** Whether a state is larger than allowed, `times` over. */
export function exceedsState(state: Json, times = 1): boolean {
  const { bytes, depth } = measure(state);
  return bytes > times * CONVERSATION_BOUNDS.stateBytes || depth > times * CONVERSATION_BOUNDS.stateDepth;
}
