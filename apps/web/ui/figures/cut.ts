const ELLIPSIS = '…';

/** A text of at most `length` characters, cut in its middle: names often differ at their ends. */
export function cutInMiddle(text: string, length: number): string {
  const letters = [...text];
  if (letters.length <= length) return text;
  const end = Math.floor((length - 1) / 2);
  return `${letters.slice(0, length - 1 - end).join('')}${ELLIPSIS}${letters.slice(-end).join('')}`;
}
