/** p values corrected for their number (Holm 1979), in the order given: each stands at its level with all of them. */
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
