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
