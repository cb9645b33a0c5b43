/**
 * A bounded set of hashes, which are whole numbers from 1 to 2^53. Above `most` entries it keeps half of them, then a
 * quarter and so on: those whose lowest bits are 0, which is the same selection in every set.
 */
export class HashSample {
  /** Open addressing; 0 is an empty slot. The load factor is at most 0.5. */
  #places = new Float64Array(1024);
  #size = 0;
  /** Only multiples of this are kept. */
  #divisor = 1;

  constructor(readonly most: number) {}

  get bytes(): number {
    return this.#places.byteLength;
  }

  has(hash: number): boolean {
    return this.#places[this.#placeOf(hash)] === hash;
  }

  add(hash: number): void {
    if (hash % this.#divisor !== 0) return;
    const place = this.#placeOf(hash);
    if (this.#places[place] === hash) return;
    this.#places[place] = hash;
    this.#size++;
    while (this.#size > this.most) {
      this.#divisor *= 2;
      this.#rebuild(this.#places.length);
    }
    if (2 * this.#size > this.#places.length) this.#rebuild(2 * this.#places.length);
  }

  #placeOf(hash: number): number {
    const mask = this.#places.length - 1;
    // The lowest bits of the kept hashes may all be 0.
    let place = Math.floor(hash / 2 ** 22) & mask;
    while (this.#places[place] !== 0 && this.#places[place] !== hash) place = (place + 1) & mask;
    return place;
  }

  #rebuild(length: number): void {
    const kept = this.#places.filter((hash) => hash !== 0 && hash % this.#divisor === 0);
    this.#places = new Float64Array(length);
    this.#size = kept.length;
    for (const hash of kept) this.#places[this.#placeOf(hash)] = hash;
  }
}
