import type { TrendMark } from './trend';

/**
 * The marks that tell how it went: the first and the last, the lowest and the highest of as many equal stretches as
 * fit, and those that stand out.
 * @param most about how many, beside those that stand out
 */
export function thinned<Mark extends TrendMark>(marks: readonly Mark[], most: number): readonly Mark[] {
  if (marks.length <= most) return marks;
  const length = Math.ceil(marks.length / Math.max(1, Math.floor(most / 2) - 1));
  const kept = new Set<Mark>([marks[0]!, marks.at(-1)!]);
  for (let start = 0; start < marks.length; start += length) {
    const byMean = marks.slice(start, start + length).toSorted((a, b) => (a.mean ?? -1) - (b.mean ?? -1));
    kept.add(byMean[0]!).add(byMean.at(-1)!);
  }
  return marks.filter((mark) => kept.has(mark) || mark.stands || mark.note !== undefined || mark.name !== undefined);
}
