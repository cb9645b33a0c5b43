/** A position in a prompt's text: two running hashes of everything before it, and its length in characters. */
export interface PrefixPosition {
  a: number;
  b: number;
  characters: number;
}

export const EMPTY_PREFIX: PrefixPosition = { a: 0x811c9dc5, b: 0x41c6ce57, characters: 0 };

/** The place after more text, or after a range of it. */
export function readOn(place: PrefixPosition, text: string, from = 0, to = text.length): PrefixPosition {
  let { a, b } = place;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  return { a, b, characters: place.characters + to - from };
}

/** The place after something that is not prompt text and is not counted, but distinguishes prompts. */
export const salt = (place: PrefixPosition, what: string): PrefixPosition => ({
  ...readOn(place, what),
  characters: place.characters,
});

/** 53 bits of a place, as the key of all text before it. */
export const keyOf = ({ a, b }: PrefixPosition): number => mix(a) * 2 ** 21 + (mix(b) >>> 11);

/** murmur3's final mix. */
function mix(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
