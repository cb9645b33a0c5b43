import { points, pointsRange } from '#lib/comparison/points';
import { escapeControls } from './terminal.js';

/** Formats cells in columns of equal width. */
export function table(cells: string[][]): string[] {
  const rows = cells.map((row) => row.map(escapeControls));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

export const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);
export const dollars = (amount: number | null): string => (amount === null ? '-' : `$${amount.toFixed(4)}`);

type Interval = readonly [low: number, high: number];

/** A difference of shares in points: "+9 points". Its interval determines how many decimals are meaningful. */
export function signedPoints(share: number, ci?: Interval): string {
  const text = points(share, ci);
  return share > 0 && text !== '0 points' ? `+${text}` : text;
}

/** A difference with its interval, if there is one: "+9 points (1 to 17)". */
export function difference(share: number | null, ci: Interval | null): string {
  if (share === null) return '-';
  return ci ? `${signedPoints(share, ci)} (${pointsRange(ci)})` : signedPoints(share);
}

/** A share with its 95 % interval: "81.2 % (70.1 to 90.3)". */
export const shareText = (share: number | null, ci: Interval | null | undefined): string =>
  share === null || !ci
    ? percent(share)
    : `${percent(share)} (${ci.map((limit) => (100 * limit).toFixed(1)).join(' to ')})`;

export const milliseconds = (value: number | null): string => (value === null ? '-' : `${Math.round(value)} ms`);

/** "45 s", "12 min", "3.5 h" */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** How a tune measures: "by overall, margin 2 points, 1 sample per case" */
export const measureText = (input: { measure: string; margin: number; samples: number }): string =>
  `by ${input.measure}, margin ${points(input.margin)}, ${samplesText(input.samples)}`;

export const samplesText = (samples: number): string => `${samples} ${samples === 1 ? 'sample' : 'samples'} per case`;

/** The beginning of a text that may be millions of characters long. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
