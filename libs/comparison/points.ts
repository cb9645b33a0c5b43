/** "1 point", "7 points": a share as words speak of it. Shares are 0..1. */
export function points(share: number): string {
  const text = pointsNumber(share, Math.abs(share) < 0.05 ? 1 : 0);
  return `${text} ${text === '1' || text === '-1' ? 'point' : 'points'}`;
}

/** An interval of shares in points: "1 to 17". The wider it is, the fewer decimals it has. */
export function pointsRange([low, high]: readonly [number, number]): string {
  const width = high - low;
  const decimals = width >= 0.05 ? 0 : width >= 0.005 ? 1 : 2;
  return `${pointsNumber(low, decimals)} to ${pointsNumber(high, decimals)}`;
}

const MAX_DECIMALS = 6;

/** A number of points. What is not 0 is not printed as 0, so that an interval shows whether it reaches it. */
function pointsNumber(share: number, decimals: number): string {
  for (let digits = decimals; digits < MAX_DECIMALS; digits++) {
    const rounded = Number((share * 100).toFixed(digits));
    if (rounded !== 0) return String(rounded);
  }
  return '0';
}

/** "5.2 %": a share as a percentage, which differences never are. */
export const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;
