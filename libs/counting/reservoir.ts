import type { Place } from '#lib/contracts/counted';

/** Number of results kept per group, from which samples are drawn. */
export const RESERVOIR = 200;

/**
 * A pseudo-random number from 0 to 2^32 - 1 for a place and a seed: the finaliser of MurmurHash3 over its parts. The
 * same place and seed always give the same number.
 */
function hashOf({ target, position, sample }: Place, seed: number): number {
  let hash = seed | 0;
  for (const part of [target, position, sample]) {
    hash = Math.imul(hash ^ part, 0xcc9e2d51);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

const byHash = (a: Hashed, b: Hashed): number =>
  a.hash - b.hash || a.target - b.target || a.position - b.position || a.sample - b.sample;
type Hashed = Place & { hash: number };

/** The order of places for a seed. Any prefix is a uniform sample: each set of places is equally likely. */
export const byRandomRank = (places: readonly Place[], seed: number): Place[] =>
  places.map((place) => ({ ...place, hash: hashOf(place, seed) })).sort(byHash);

/**
 * A uniform sample of places: those with the smallest hashes (bottom k), whatever the order in which they arrive.
 * Counting the same results again keeps the same sample.
 */
export class Reservoir {
  #kept: Hashed[] = [];
  #largest = Infinity;

  add(place: Place): void {
    const hash = hashOf(place, 0);
    if (hash > this.#largest) return;
    this.#kept.push({ ...place, hash });
    if (this.#kept.length >= 2 * RESERVOIR) this.#cut();
  }

  get places(): readonly Place[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept = this.#kept.sort(byHash).slice(0, RESERVOIR);
    if (this.#kept.length === RESERVOIR) this.#largest = this.#kept.at(-1)!.hash;
  }
}
