/** A histogram bin from the lowest to the highest value, both inclusive. */
export interface Bin {
  from: number;
  to: number;
}

/** Largest value of a stored latency. */
const MAX_LATENCY_MS = 2 ** 31 - 1;
const BINS_PER_DECADE = 8;

/**
 * Bins of latencies in milliseconds: 0, then bins of equal width on a logarithmic scale, as far as whole numbers allow.
 */
export const LATENCY_BINS: readonly Bin[] = latencyBins();

function latencyBins(): Bin[] {
  const starts: number[] = [0];
  for (let exponent = 0; ; exponent++) {
    const start = Math.ceil(10 ** (exponent / BINS_PER_DECADE));
    if (start > MAX_LATENCY_MS) break;
    if (start > starts.at(-1)!) starts.push(start);
  }
  return starts.map((from, index) => ({ from, to: (starts[index + 1] ?? MAX_LATENCY_MS + 1) - 1 }));
}

/** The largest number below a share of 1: `to` is inclusive, and no score may fall between two bins. */
const below = (share: number): number => share - share * (Number.EPSILON / 2);
const TENTHS = Array.from({ length: 11 }, (_, n) => n / 10);

/** Bins of overall scores: 0, ten bins in between, and 1. */
export const OVERALL_BINS: readonly Bin[] = [
  { from: 0, to: 0 },
  ...TENTHS.slice(0, -1).map((from, n) => ({ from: n === 0 ? Number.MIN_VALUE : from, to: below(TENTHS[n + 1]!) })),
  { from: 1, to: 1 },
];

/** The bin of a score. */
export function overallBin(overall: number): number {
  if (overall <= 0) return 0;
  if (overall >= 1) return OVERALL_BINS.length - 1;
  return OVERALL_BINS.findLastIndex(({ from }) => overall >= from);
}
