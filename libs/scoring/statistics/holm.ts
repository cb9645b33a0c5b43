/** p values adjusted for multiple testing (Holm 1979), in the given order: compare each with the family-wise level. */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, index) => index).sort((a, b) => p[a]! - p[b]!);
  const corrected = new Array<number>(p.length);
  let least = 0;
  order.forEach((index, rank) => {
    least = Math.max(least, Math.min(1, (p.length - rank) * p[index]!));
    corrected[index] = least;
  });
  return corrected;
}
