/** The common prefix and suffix of two texts, and the text between. */
export interface CommonEnds {
  start: string;
  a: string;
  b: string;
  end: string;
}

const isLowSurrogate = (text: string, index: number): boolean => /[\udc00-\udfff]/.test(text[index] ?? '');

/** Never splits a surrogate pair. */
export function commonEnds(a: string, b: string): CommonEnds {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  while (start > 0 && (isLowSurrogate(a, start) || isLowSurrogate(b, start))) start--;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  while (end > 0 && (isLowSurrogate(a, a.length - end) || isLowSurrogate(b, b.length - end))) end--;
  return {
    start: a.slice(0, start),
    a: a.slice(start, a.length - end),
    b: b.slice(start, b.length - end),
    end: a.slice(a.length - end),
  };
}

/** A span of a text; `differs` if the other text lacks it. */
export interface Piece {
  text: string;
  differs: boolean;
}

/** The comparison of two middles takes a number of steps equal to the product of their lengths. */
const MAX_STEPS = 250_000;

/** Two texts as spans, so that differences can be marked by character. Long texts are compared only at their ends. */
export function characterDiff(a: string, b: string): { a: Piece[]; b: Piece[] } {
  const ends = commonEnds(a, b);
  const middles = [[...ends.a], [...ends.b]] as const;
  const kept =
    middles[0].length * middles[1].length > MAX_STEPS
      ? { a: new Set<number>(), b: new Set<number>() }
      : longestCommon(...middles);
  const side = (middle: readonly string[], same: Set<number>): Piece[] =>
    joined([
      { text: ends.start, differs: false },
      ...middle.map((text, index) => ({ text, differs: !same.has(index) })),
      { text: ends.end, differs: false },
    ]);
  return { a: side(middles[0], kept.a), b: side(middles[1], kept.b) };
}

/** The indexes of a longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): { a: Set<number>; b: Set<number> } {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const same = { a: new Set<number>(), b: new Set<number>() };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      same.a.add(i++);
      same.b.add(j++);
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return same;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const { text, differs } of pieces) {
    if (text === '') continue;
    const last = result.at(-1);
    if (last?.differs === differs) last.text += text;
    else result.push({ text, differs });
  }
  return result;
}
