/** A mean over cases with its interval, and the thresholds that decide about it. */
export interface Estimated {
  /** Number of cases. */
  n: number;
  centre: number;
  se: number;
  /**
   * Half-widths of the interval that has to lie above `passAbove`, and of the one that has to lie below `failBelow`.
   */
  halves: { pass: number; fail: number };
  passAbove: number;
  failBelow: number;
  /**
   * The share of the mean's variance that is left at the last look; 1: no more samples will be added; null: unknown.
   */
  remaining: number | null;
}

export interface Prospect {
  /** Whether the last look can still pass or fail. */
  canPass: boolean;
  canFail: boolean;
  /**
   * Roughly how many more cases would decide if more samples cannot; null when they can, or no number of cases would.
   */
  casesNeeded: number | null;
}

/**
 * Whether the samples up to the last look can decide what is still undecided. The mean may move by one standard error
 * of what they change: the chance that they decide beyond that is below one in six.
 */
export function prospectOf({ n, centre, se, halves, passAbove, failBelow, remaining }: Estimated): Prospect {
  if (remaining === null) return { canPass: true, canFail: true, casesNeeded: null };
  const move = se * Math.sqrt(1 - remaining);
  const toPass = { distance: centre - passAbove, half: halves.pass * Math.sqrt(remaining) };
  const toFail = { distance: failBelow - centre, half: halves.fail * Math.sqrt(remaining) };
  const isWithinReach = ({ distance, half }: typeof toPass): boolean => remaining < 1 && distance + move > half;
  const [canPass, canFail] = [isWithinReach(toPass), isWithinReach(toFail)];
  if (canPass || canFail) return { canPass, canFail, casesNeeded: null };
  const needed = [toPass, toFail].flatMap(({ distance, half }) => (distance > 0 ? n * (half / distance) ** 2 : []));
  const more = Math.ceil(Math.min(...needed) - n);
  return { canPass, canFail, casesNeeded: Number.isSafeInteger(more) ? Math.max(1, more) : null };
}

/** A case as part of a mean: its value, and the variance of the value within the case. */
export interface VariedCase {
  value: number;
  /** With the current samples, and with those of the last look; null when one sample is too few to estimate it. */
  within: { now: number; last: number } | null;
}

/**
 * The share of a mean's variance that is left at the last look: more samples only reduce the within-case part. Null
 * while fewer than half of the cases have enough samples to separate the parts.
 */
export function remainingVariance(cases: readonly VariedCase[]): number | null {
  const known = cases.flatMap(({ within }) => within ?? []);
  if (known.length === 0 || known.length < cases.length / 2) return null;
  const now = meanOf(known.map((within) => within.now));
  const last = meanOf(known.map((within) => within.last));
  const between = Math.max(0, varianceOf(cases.map(({ value }) => value)) - now);
  return now === 0 ? 1 : Math.min(1, (between + last) / (between + now));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
