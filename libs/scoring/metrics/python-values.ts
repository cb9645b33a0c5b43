import { isNumber, isObject, numberSource, toNumber, type Json, type RawNumber } from '#lib/contracts/json/json';
import { keysInSourceOrder } from '#lib/contracts/json/key-order';

/**
 * JSON values as Python's `json.loads` parses them: a number is an int unless its text has a fraction or an exponent;
 * True == 1 and 1 == 1.0; ints are exact. The public metrics are written in Python, and their scores depend on this.
 */
export type PythonType = 'int' | 'float' | 'bool' | 'str' | 'list' | 'dict' | 'NoneType';

export function pythonType(value: Json | undefined): PythonType {
  if (value === null || value === undefined) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (Array.isArray(value)) return 'list';
  return isNumber(value) ? (/[.eE]/.test(numberSource(value)) ? 'float' : 'int') : 'dict';
}

/** A key that is equal for two values exactly if Python's `==` holds between them. */
export function pythonKey(value: Json): string {
  if (value === null) return 'N';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonKey).join()}]`;
  if (isNumber(value)) return numberKey(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${pythonKey(value[key]!)}`);
  return `{${entries.join()}}`;
}

function numberKey(value: number | RawNumber): string {
  const source = numberSource(value);
  if (!/[.eE]/.test(source)) return String(BigInt(source));
  const float = Number(source);
  return Number.isInteger(float) ? String(BigInt(float)) : String(float);
}

export const pythonEqual = (a: Json, b: Json): boolean => a === b || pythonKey(a) === pythonKey(b);

/** Python's `str()`. */
export const pythonStr = (value: Json): string => (typeof value === 'string' ? value : pythonRepr(value));

/** Python's `repr()`. */
export function pythonRepr(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return stringRepr(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (isNumber(value))
    return pythonType(value) === 'int' ? String(BigInt(numberSource(value))) : floatRepr(toNumber(value));
  return `{${keysInSourceOrder(value)
    .map((key) => `${stringRepr(key)}: ${pythonRepr(value[key]!)}`)
    .join(', ')}}`;
}

/**
 * The shortest text that parses to the same number, as in JavaScript, but with an exponent below 1e-4 and from 1e16.
 */
function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, power] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16)
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  const plain =
    exponent < 0 ? value.toFixed(Math.max(0, mantissa!.replace(/^-?\d\.?/, '').length - exponent)) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}\\]/u;

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = '';
  for (const character of text) {
    if (character === quote) out += `\\${quote}`;
    else if (character === ' ' || !NOT_PRINTABLE.test(character)) out += character;
    else out += ESCAPES[character] ?? escapeCode(character.codePointAt(0)!);
  }
  return quote + out + quote;
}

const escapeCode = (code: number): string =>
  code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** The order of Python strings: by code point. JavaScript orders by UTF-16 unit. */
export function comparePythonStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [highX, highY] = [isSurrogate(x), isSurrogate(y)];
    return highX === highY ? x - y : highX ? 1 : -1;
  }
  return a.length - b.length;
}
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Like Python's `dict.get` and `in`: ignores JavaScript's inherited properties. */
export const hasKey = (object: Json | undefined, key: string): boolean =>
  isObject(object) && Object.hasOwn(object, key);
