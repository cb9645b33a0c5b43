import { isNumber, isObject, parseJson, toNumber } from '#lib/contracts/json/json';
import { ProviderFailure } from '../failure.js';

export interface Vectors {
  /** Of unit length, in the order of the texts. */
  vectors: Float32Array[];
  tokens: number;
}

export const unusableVectors = (why: string, quote: string | undefined, retryable = true): ProviderFailure =>
  new ProviderFailure(
    'bad_response',
    `The embedding model's answer cannot be used: ${why}.`,
    retryable,
    undefined,
    200,
    quote,
  );

/**
 * Reads the text of a 200.
 * @param quote the beginning of the text, for a failure
 * @throws ProviderFailure
 */
export function readVectors(text: string, count: number, quote: string | undefined): Vectors {
  const bad = (why: string): ProviderFailure => unusableVectors(why, quote);
  let body;
  try {
    body = parseJson(text);
  } catch {
    throw bad('it is not JSON');
  }
  const data = isObject(body) && Array.isArray(body.data) ? body.data : [];
  if (data.length !== count) throw bad(`${data.length} embeddings for ${count} texts`);
  const vectors: Float32Array[] = new Array<Float32Array>(count);
  for (const [position, entry] of data.entries()) {
    const numbers = isObject(entry) && Array.isArray(entry.embedding) ? entry.embedding : [];
    const index = isObject(entry) && typeof entry.index === 'number' ? entry.index : position;
    if (numbers.length === 0 || !numbers.every(isNumber) || !(index in data) || vectors[index])
      throw bad('it does not contain a list of numbers per text');
    const vector = Float32Array.from(numbers, toNumber);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (!(length > 0)) throw bad('a vector has no length');
    vectors[index] = vector.map((value) => value / length);
  }
  const usage = isObject(body) && isObject(body.usage) ? body.usage.total_tokens : 0;
  return { vectors, tokens: typeof usage === 'number' ? usage : 0 };
}
