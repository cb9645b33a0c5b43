const DAY_MS = 86_400_000;

/** When a token expires: undefined leaves it to the server. */
export const EXPIRIES = {
  usual: { words: 'by default (90 days, unless set otherwise)', days: undefined },
  day: { words: 'in a day', days: 1 },
  month: { words: 'in 30 days', days: 30 },
  quarter: { words: 'in 90 days', days: 90 },
  year: { words: 'in a year', days: 365 },
  never: { words: 'never', days: null },
} as const;
export type Expiry = keyof typeof EXPIRIES;

/** Rounded to the hour, so that a repeated request is identical. */
export function expiryOf(expiry: Expiry, now: Date): string | null | undefined {
  const { days } = EXPIRIES[expiry];
  if (days == null) return days;
  const at = new Date(now.getTime() + days * DAY_MS);
  at.setUTCMinutes(0, 0, 0);
  return at.toISOString();
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** "27 Feb 2027", "never" */
export const expiryInWords = (at: string | null): string => (at === null ? 'never' : DAY.format(new Date(at)));
