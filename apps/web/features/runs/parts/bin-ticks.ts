import type { FacetBin } from '#lib/contracts/run-facets';
import { duration } from '../../../ui/time';

/** A label below the place where a bin begins, counted in bins from the left. */
export interface BinTick {
  at: number;
  words: string;
}

const SCORE_BINS = 12;

/** Ticks of latencies: whole powers of ten where there are several, or else where bins begin. */
export function latencyTicks(bins: readonly Pick<FacetBin, 'from' | 'to'>[], most: number): BinTick[] {
  const starts = bins.map(({ from }, at): BinTick => ({ at, words: duration(from) }));
  const powers = starts.filter(({ at }) => Number.isInteger(Math.log10(bins[at]!.from)));
  const chosen = powers.length > 1 ? powers : starts;
  const every = Math.ceil(chosen.length / most);
  return chosen.filter((_, n) => n % every === 0);
}

/** Ticks of scores, whose first bin is 0 and whose last one is 1. */
export const scoreTicks: readonly BinTick[] = [
  { at: 0.5, words: '0 %' },
  { at: SCORE_BINS / 2, words: '50 %' },
  { at: SCORE_BINS - 0.5, words: '100 %' },
];

/** Where a share of all counts lies, in bins from the left; undefined without counts. */
export function quantileOf(counts: readonly number[], share: number): number | undefined {
  const all = counts.reduce((sum, n) => sum + n, 0);
  if (all === 0) return undefined;
  let before = 0;
  for (const [index, n] of counts.entries()) {
    if (n > 0 && before + n >= share * all) return index + Math.max(0, share * all - before) / n;
    before += n;
  }
  return counts.length;
}
