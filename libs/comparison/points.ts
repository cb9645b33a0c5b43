/**
 * "1 point", "7 points": a share in points, for sentences. Shares are 0..1.
 * @param interval the interval of the share, which determines the number of meaningful decimals
 */
export function points(share: number, interval?: readonly [number, number]): string {
  const text = pointsNumber(share, interval ? decimalsFor(interval) : Math.abs(share) < 0.05 ? 1 : 0);
  return `${text} ${text === '1' || text === '-1' ? 'point' : 'points'}`;
}

/** An interval of shares in points: "1 to 17". Wider intervals have fewer decimals. */
export function pointsRange(interval: readonly [number, number]): string {
  return interval.map((limit) => pointsNumber(limit, decimalsFor(interval))).join(' to ');
}

function decimalsFor([low, high]: readonly [number, number]): number {
  const width = high - low;
  return width >= 0.05 ? 0 : width >= 0.005 ? 1 : 2;
}

const MAX_DECIMALS = 6;

/** A number of points. Nonzero values are never printed as 0, so that it is visible whether an interval reaches 0. */
function pointsNumber(share: number, decimals: number): string {
  for (let digits = decimals; digits < MAX_DECIMALS; digits++) {
    const rounded = Number((share * 100).toFixed(digits));
    if (rounded !== 0) return String(rounded);
  }
  return '0';
}

/** "5.2 %": a share as a percentage, which is never used for differences. */
export const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;
