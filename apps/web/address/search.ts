// Readers of what an address says behind its "?". A value with a fault is as if it were not there: the view is shown
// without it. Not zod, which would be a fifth of what the first view loads.

type Reader<Value> = (given: unknown) => Value | undefined;

/** An address may hold JSON, and an object there may say that it is neither a text nor a number. */
const isPlain = (given: unknown): boolean => typeof given !== 'object' || given === null;

const MAX_VALUES = 50;

/** @param max characters */
export const text =
  (max: number, pattern?: RegExp): Reader<string> =>
  (given) =>
    typeof given === 'string' && given !== '' && given.length <= max && (pattern?.test(given) ?? true)
      ? given
      : undefined;

export const id = text(36, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i);

export const oneOf =
  <Word extends string>(words: readonly Word[]): Reader<Word> =>
  (given) =>
    words.find((word) => word === given);

export const wholeNumber =
  (min: number): Reader<number> =>
  (given) => {
    const number = isPlain(given) && given !== '' ? Number(given) : NaN;
    return Number.isSafeInteger(number) && number >= min ? number : undefined;
  };

export const flag: Reader<boolean> = (given) => (typeof given === 'boolean' ? given : undefined);

/** One value or several; one of another type, such as a number that the address has, counts as its text. */
export const severalOf =
  <Value>(read: Reader<Value>): Reader<Value[]> =>
  (given) => {
    if (given === undefined) return undefined;
    const values = [given].flat().map((value) => (isPlain(value) ? read(String(value)) : undefined));
    const isRight = values.length > 0 && values.length <= MAX_VALUES && !values.includes(undefined);
    return isRight ? (values as Value[]) : undefined;
  };

type Readers = Record<string, Reader<unknown>>;
export type Search<Shape extends Readers> = { [Key in keyof Shape]?: Exclude<ReturnType<Shape[Key]>, undefined> };

/**
 * Reads the keys of a view; what is not in its address is not in the answer. What has a fault is undefined there: the
 * router lays the answer over what the address says, and would else let the fault through.
 */
export const searchOf =
  <Shape extends Readers>(shape: Shape) =>
  (given: Record<string, unknown>): Search<Shape> => {
    const read = Object.entries(shape).map(([key, reader]) => [key, reader(given[key])] as const);
    const isSaid = ([key, value]: readonly [string, unknown]): boolean =>
      value !== undefined || given[key] !== undefined;
    return Object.fromEntries(read.filter(isSaid)) as Search<Shape>;
  };
