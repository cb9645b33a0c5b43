const DAY_MS = 86_400_000;

/** When a token expires. */
export const EXPIRIES = {
  never: { words: 'never', days: null },
  day: { words: 'in a day', days: 1 },
  month: { words: 'in 30 days', days: 30 },
  quarter: { words: 'in 90 days', days: 90 },
  year: { words: 'in a year', days: 365 },
} as const;
export type Expiry = keyof typeof EXPIRIES;

/** Rounded to the hour, so that a repeated request is identical. */
export function expiryOf(expiry: Expiry, now: Date): string | null {
  const { days } = EXPIRIES[expiry];
  if (days === null) return null;
  const at = new Date(now.getTime() + days * DAY_MS);
  at.setUTCMinutes(0, 0, 0);
  return at.toISOString();
}

const STEP = 1024;
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "512 bytes", "2.2 MiB". */
export function bytesInWords(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
