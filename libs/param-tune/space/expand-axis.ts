import { isNumber, isObject, type Json, type JsonObject, type RawNumber } from '#lib/contracts/json/json';
import { alignDecimals, readDecimal, toNumber, type Decimal } from './decimal.js';

/** Maximum number of values of one parameter. */
const MAX_VALUES = 1000;
/** Significant digits of interpolated values. */
const PRECISION = 6;

/** The values of one parameter in the given order, or what is wrong with them. */
export type Expanded = { values: Json[] } | { fault: string };

/**
 * `[values]`, one value, `{min, max, step}` or `{min, max, levels, scale}`. Steps are added in decimal, so that 0 to
 * 0.3 by 0.1 ends with 0.3.
 */
export function expandAxis(given: Json): Expanded {
  if (!isObject(given) && !Array.isArray(given)) return { values: [given] };
  if (isObject(given)) return expandRange(given);
  if (given.length === 0) return { fault: 'has no value: give at least one, or omit the parameter.' };
  if (given.length > MAX_VALUES) return { fault: tooMany(given.length) };
  return { values: [...new Map(given.map((value) => [JSON.stringify(value), value])).values()] };
}

const tooMany = (count: number | bigint): string =>
  `has ${count} values, and a parameter may have ${MAX_VALUES}: use fewer values or a larger step.`;

const KEYS = { step: ['min', 'max', 'step'], levels: ['min', 'max', 'levels', 'scale'] };

function expandRange(range: JsonObject): Expanded {
  const kind = 'step' in range ? 'step' : 'levels' in range ? 'levels' : undefined;
  const other = kind && Object.keys(range).find((key) => !KEYS[kind].includes(key));
  if (!kind || other !== undefined)
    return {
      fault:
        (other === undefined ? 'is not a range' : `has a field "${other}"`) +
        ': give {"min", "max", "step"} or {"min", "max", "levels", "scale"}; a value that is an object goes in a list.',
    };
  const min = decimalOf(range.min);
  const max = decimalOf(range.max);
  if (!min || !max) return { fault: 'needs the numbers "min" and "max".' };
  const aligned = alignDecimals([min, max]).digits;
  if (aligned[0]! > aligned[1]!) return { fault: 'has a "min" above its "max".' };
  return kind === 'step' ? byStep(min, max, range.step) : byLevels(min, max, range);
}

const decimalOf = (value: Json | undefined): Decimal | undefined =>
  isNumber(value) ? readDecimal(value as number | RawNumber) : undefined;

function byStep(min: Decimal, max: Decimal, given: Json | undefined): Expanded {
  const step = decimalOf(given);
  if (!step || step.digits <= 0n) return { fault: 'needs a "step" above 0.' };
  const { digits, places } = alignDecimals([min, max, step]);
  const [from, to, by] = digits as [bigint, bigint, bigint];
  const count = (to - from) / by + 1n;
  if (count > BigInt(MAX_VALUES)) return { fault: tooMany(count) };
  return { values: Array.from({ length: Number(count) }, (_, n) => toNumber(from + BigInt(n) * by, places)) };
}

function byLevels(min: Decimal, max: Decimal, { levels, scale = 'linear' }: JsonObject): Expanded {
  if (typeof levels !== 'number' || !Number.isInteger(levels) || levels < 1)
    return { fault: 'needs a whole number of "levels", at least 1.' };
  if (levels > MAX_VALUES) return { fault: tooMany(levels) };
  if (scale !== 'linear' && scale !== 'log') return { fault: 'has a "scale" that is neither "linear" nor "log".' };
  const [from, to] = [toNumber(min.digits, min.places), toNumber(max.digits, max.places)];
  if (scale === 'log' && from <= 0) return { fault: 'needs a "min" above 0 on a "log" scale.' };
  // Values between 256 and 4096 are whole; between 0 and 1 they need not be.
  const isWhole = Number.isInteger(from) && Number.isInteger(to) && to - from >= levels - 1;
  const between = (share: number): number =>
    scale === 'log' ? Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from))) : from + share * (to - from);
  const valueAt = (n: number): number => {
    if (n === 0) return from;
    if (n === levels - 1) return to;
    const value = between(n / (levels - 1));
    return isWhole ? Math.round(value) : Number(value.toPrecision(PRECISION));
  };
  return { values: [...new Set(Array.from({ length: levels }, (_, n) => valueAt(n)))] };
}
