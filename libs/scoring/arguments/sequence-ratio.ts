/**
 * For sequences of at least this length, Python's SequenceMatcher drops popular elements from its index ("autojunk").
 */
const AUTOJUNK_FROM = 200;

const NOWHERE: readonly number[] = [];

/**
 * Python 3's `difflib.SequenceMatcher(None, a, b).ratio()`, autojunk included: 2 * matches / (length of a + length
 * of b), where matches are found by the longest common block, then left and right of it. By code points; not
 * symmetric.
 */
export function sequenceRatio(a: string, b: string): number {
  const [x, y] = [codePoints(a), codePoints(b)];
  if (x.length + y.length === 0) return 1;
  const index = new Map<number, number[]>();
  for (let j = 0; j < y.length; j++) {
    const places = index.get(y[j]!);
    if (places) places.push(j);
    else index.set(y[j]!, [j]);
  }
  if (y.length >= AUTOJUNK_FROM) {
    const popular = Math.floor(y.length / 100) + 1;
    for (const [element, places] of index) if (places.length > popular) index.delete(element);
  }
  let matches = 0;
  const placesAt = Array.from(x, (element) => index.get(element) ?? NOWHERE);
  const todo: [number, number, number, number][] = [[0, x.length, 0, y.length]];
  // lengths[j + 1]: the length of the common block that ends at the previous row and at j. Zero if no such block ends
  // there.
  let lengths = new Int32Array(y.length + 1);
  let next = new Int32Array(y.length + 1);
  while (todo.length) {
    const [alo, ahi, blo, bhi] = todo.pop()!;
    let [besti, bestj, size] = [alo, blo, 0];
    for (let i = alo; i <= ahi; i++) {
      if (i < ahi) {
        for (const j of placesAt[i]!) {
          if (j < blo) continue;
          if (j >= bhi) break;
          const k = (next[j + 1] = lengths[j]! + 1);
          if (k > size) [besti, bestj, size] = [i - k + 1, j - k + 1, k];
        }
      }
      if (i > alo) for (const j of placesAt[i - 1]!) lengths[j + 1] = 0;
      [lengths, next] = [next, lengths];
    }
    // Popular elements cannot start a block, but extend one.
    while (besti > alo && bestj > blo && x[besti - 1] === y[bestj - 1]) (besti--, bestj--, size++);
    while (besti + size < ahi && bestj + size < bhi && x[besti + size] === y[bestj + size]) size++;
    if (size === 0) continue;
    matches += size;
    if (alo < besti && blo < bestj) todo.push([alo, besti, blo, bestj]);
    if (besti + size < ahi && bestj + size < bhi) todo.push([besti + size, ahi, bestj + size, bhi]);
  }
  return (2 * matches) / (x.length + y.length);
}

function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let length = 0;
  for (const character of text) points[length++] = character.codePointAt(0)!;
  return points.subarray(0, length);
}
