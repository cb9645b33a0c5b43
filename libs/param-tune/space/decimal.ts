import { numberSource, type RawNumber } from '#lib/contracts/json/json';

/** A number as written: `digits` divided by 10 to the power of `places`. */
export interface Decimal {
  digits: bigint;
  places: number;
}

const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Beyond this, a JavaScript number is 0 or infinite. */
const MAX_EXPONENT = 400;

/** @returns undefined for a number that is out of range for a setting */
export function readDecimal(value: number | RawNumber): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(numberSource(value)) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT || fraction.length > MAX_EXPONENT)
    return undefined;
  const digits = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** The same numbers with a common number of decimal places. */
export function alignDecimals(numbers: readonly Decimal[]): { digits: bigint[]; places: number } {
  const places = Math.max(...numbers.map((one) => one.places));
  return { digits: numbers.map((one) => one.digits * 10n ** BigInt(places - one.places)), places };
}

export const toNumber = (digits: bigint, places: number): number => Number(`${digits}e-${places}`);
