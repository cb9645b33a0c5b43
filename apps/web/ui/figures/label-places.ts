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

const isInside = (box: Box, within: Box): boolean =>
  box.left >= within.left &&
  box.left + box.width <= within.left + within.width &&
  box.top >= within.top &&
  box.top + box.height <= within.top + within.height;

/** Where a label may stand, the best first: above to the left, a frontier has no other marks. */
const WAYS: readonly [isLeft: boolean, down: number][] = [
  [true, -7],
  [false, -7],
  [false, 4],
  [true, 4],
  [true, -20],
  [false, -20],
  [false, 16],
  [true, 16],
];

/**
 * Places labels next to their marks, the first ones first, where there is room. One without room has no place.
 * @param taken what no label may cover
 * @param avoided what a label covers only where it has no other place
 */
export function placeLabels(
  marks: readonly Labelled[],
  within: Box,
  taken: readonly Box[] = [],
  avoided: readonly Box[] = [],
): (Placed | null)[] {
  const boxes = [...taken];
  return marks.map(({ x, y, text }) => {
    const width = textWidth(text);
    const ways = WAYS.map(([isLeft, down]) => ({
      isLeft,
      down,
      box: { left: isLeft ? x - GAP - width : x + GAP, top: y + down - LINE + 3, width, height: LINE },
    })).filter(({ box }) => isInside(box, within) && !boxes.some((other) => overlaps(box, other)));
    const way = ways.find(({ box }) => !avoided.some((other) => overlaps(box, other))) ?? ways[0];
    if (!way) return null;
    boxes.push(way.box);
    return { x: way.isLeft ? x - GAP : x + GAP, y: y + way.down, anchor: way.isLeft ? 'end' : 'start' };
  });
}
