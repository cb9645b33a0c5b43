import { numberSource, type RawNumber } from '#lib/contracts/json/json';

/** A decimal number: digits * 10^exponent. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

const GRAMMAR = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses a number exactly. Returns undefined if the text is not a JSON number. */
function parseDecimal(text: string): Decimal | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  let digits = (whole! + fraction).replace(/^0+/, '');
  let scale = Number(exponent) - fraction.length;
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--; // A regular expression would try every run of zeros.
  const trimmed = digits.slice(0, end);
  scale += digits.length - trimmed.length;
  digits = trimmed;
  if (digits === '') return { digits: 0n, exponent: 0 };
  return { digits: BigInt(sign! + digits), exponent: scale };
}

/** Equal by decimal value: 5 = 5.0 = 5e0, -0 = 0, integers beyond 2^53 exact. */
export function sameNumber(a: number | RawNumber, b: number | RawNumber): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  const [x, y] = [parseDecimal(numberSource(a)), parseDecimal(numberSource(b))];
  return x !== undefined && y !== undefined && x.digits === y.digits && x.exponent === y.exponent;
}

/**
 * The distance of two numbers given as texts, and whether it is at most `epsilon`: inclusive, and free of binary
 * rounding, so that 1 and 1.01 are within 0.01.
 */
export function distanceOf(a: string, b: string, epsilon: number): { distance: number; within: boolean } {
  const [x, y, e] = [parseDecimal(a), parseDecimal(b), parseDecimal(String(epsilon))];
  const binary = Math.abs(Number(a) - Number(b));
  if (!x || !y || !e) return { distance: binary, within: binary <= epsilon };
  const lowest = Math.min(x.exponent, y.exponent, e.exponent);
  if (Math.max(x.exponent, y.exponent, e.exponent) - lowest > 1000)
    return { distance: binary, within: binary <= epsilon };
  const [p, q, r] = [x, y, e].map((d) => d.digits * 10n ** BigInt(d.exponent - lowest)) as [bigint, bigint, bigint];
  const distance = p > q ? p - q : q - p;
  return {
    distance: lowest < 0 ? Number(distance) / 10 ** -lowest : Number(distance) * 10 ** lowest,
    within: distance <= r,
  };
}
