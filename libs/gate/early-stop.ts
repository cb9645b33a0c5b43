/** A mean over cases with its interval, and what decides about it. */
export interface Estimated {
  /** Cases. */
  n: number;
  centre: number;
  se: number;
  /** Half the width of the interval that has to lie above `passAbove`, and of that to lie below `failBelow`. */
  halves: { pass: number; fail: number };
  passAbove: number;
  failBelow: number;
  /** The share of the variance of the mean that is left at the last look; 1: no sample comes; null: nobody knows. */
  remaining: number | null;
}

export interface Prospect {
  /** Whether the last look can still pass or fail. */
  canPass: boolean;
  canFail: boolean;
  /** About how many more cases would decide, when no more samples can; null when they can, or no number would. */
  casesNeeded: number | null;
}

/**
 * Whether the samples up to the last look can decide what is not decided now. The mean may move by one standard error
 * of what they change: beyond that, the chance that they pass or fail is below one in six.
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

/** A case as it counts in a mean: what it adds, and the variance of that within the case. */
export interface VariedCase {
  value: number;
  /** With the samples there are, and with those of the last look; null where one sample says nothing of it. */
  within: { now: number; last: number } | null;
}

/**
 * The share of the variance of a mean that is left at the last look: only the part within cases becomes smaller with
 * more samples. Null while fewer than half of the cases have the samples to tell the parts.
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
