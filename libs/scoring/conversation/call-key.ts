import { isNumber, isObject, numberSource, type Json } from '#lib/contracts/json/json';
import type { AnsweredCall } from '#lib/contracts/conversation-played';

/** A text that equal calls have in common: names ignoring case, keys in any order, numbers by value. */
export const callKey = ({ name, arguments: args }: Pick<AnsweredCall, 'name' | 'arguments'>): string =>
  `${name.toLowerCase()} ${canonical(args)}`;

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (isNumber(value)) return decimalText(numberSource(value));
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`);
  return `{${members.join()}}`;
}

/** 1, 1.0 and 10e-1 are the same text. */
function decimalText(source: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)!;
  const digits = whole! + fraction;
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  let start = 0;
  while (start < end && digits[start] === '0') start++;
  return start === end
    ? '0'
    : `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
