/**
 * 32-bit FNV-1a of the text's UTF-16 units, with murmur3's final mix so that its low bits are as good as its high
 * ones.
 */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The simulator's only randomness: a number in [0, 1) that is always the same for the same parts. */
export const chance = (...parts: (string | number)[]): number => hash(parts.join('\u0000')) / 2 ** 32;

/** Picks an item with equal probability, from a number in [0, 1). */
export const pick = <T>(items: readonly T[], at: number): T | undefined => items[Math.floor(at * items.length)];
