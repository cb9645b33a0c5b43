// Readers of an address's query string. An invalid value is treated as absent: the view is shown without it.

type Reader<Value> = (given: unknown) => Value | undefined;

/** An address may contain JSON, including objects whose conversion to a primitive fails. */
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

/** A key of a table of labels. */
export const keyOf = <Word extends string>(words: Record<Word, string>): Reader<Word> =>
  oneOf(Object.keys(words) as Word[]);

export const wholeNumber =
  (min: number): Reader<number> =>
  (given) => {
    const number = isPlain(given) && given !== '' ? Number(given) : NaN;
    return Number.isSafeInteger(number) && number >= min ? number : undefined;
  };

export const flag: Reader<boolean> = (given) => (typeof given === 'boolean' ? given : undefined);

/** One value or several. A value of another type, such as a number in the address, counts as its text. */
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
 * Reads a view's keys; keys absent from the address are absent from the result. Invalid values are undefined in the
 * result: the router lays it over the raw address, and would otherwise let them through.
 */
export const searchOf =
  <Shape extends Readers>(shape: Shape) =>
  (given: Record<string, unknown>): Search<Shape> => {
    const read = Object.entries(shape).map(([key, reader]) => [key, reader(given[key])] as const);
    const isSaid = ([key, value]: readonly [string, unknown]): boolean =>
      value !== undefined || given[key] !== undefined;
    return Object.fromEntries(read.filter(isSaid)) as Search<Shape>;
  };
