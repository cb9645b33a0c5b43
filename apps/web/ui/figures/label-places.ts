export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Labelled {
  /** Where the mark is. */
  x: number;
  y: number;
  text: string;
}

export interface Placed {
  x: number;
  /** The base line. */
  y: number;
  anchor: 'start' | 'end';
}

const LINE = 14;
const GAP = 9;
/** Widths of letters at 12 px, on the wide side. */
const [NARROW, WIDE] = [6.6, 12.5];

export const textWidth = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (letter.codePointAt(0)! > 0x2e7f ? WIDE : NARROW), 0);

const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height;

/**
 * Places labels next to their marks, the first ones first: above to the left, where a frontier has no other marks, or
 * else where there is room. One without room has none.
 */
export function placeLabels(marks: readonly Labelled[], within: Box, taken: readonly Box[] = []): (Placed | null)[] {
  const boxes = [...taken];
  return marks.map(({ x, y, text }) => {
    const width = textWidth(text);
    for (const [isLeft, dy] of [
      [true, -7],
      [false, -7],
      [false, 4],
      [true, 4],
      [false, 15],
      [true, 15],
    ] as const) {
      const box = { left: isLeft ? x - GAP - width : x + GAP, top: y + dy - LINE + 3, width, height: LINE };
      const isInside =
        box.left >= within.left &&
        box.left + width <= within.left + within.width &&
        box.top >= within.top &&
        box.top + LINE <= within.top + within.height;
      if (!isInside || boxes.some((other) => overlaps(box, other))) continue;
      boxes.push(box);
      return { x: isLeft ? x - GAP : x + GAP, y: y + dy, anchor: isLeft ? 'end' : 'start' };
    }
    return null;
  });
}
