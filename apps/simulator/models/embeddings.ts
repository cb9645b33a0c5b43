import { hash } from '../formats/chance.js';

export const EMBEDDING_DIMENSIONS = 256;

/**
 * Embeds a text as its hashed words and character trigrams, in a vector of length 1. Equal texts have similarity 1,
 * texts that share most of their words about 0.8, unrelated texts about 0. Each feature has a random sign, so that
 * collisions cancel out.
 */
export function embed(text: string, dimensions = EMBEDDING_DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const add = (feature: string, weight: number) => {
    const h = hash(feature);
    vector[(h >>> 1) % dimensions]! += h & 1 ? weight : -weight;
  };
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    add(`word ${word}`, 1);
    const padded = `^${word}$`;
    for (let i = 0; i + 3 <= padded.length; i++) add(`gram ${padded.slice(i, i + 3)}`, 0.5);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Little-endian float32, which the `openai` package requests by default. */
export const toBase64 = (vector: number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64');
