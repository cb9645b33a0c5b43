/** The length of text from which a wait, and anything that names a time, is parsed. */
export const MAX_WAIT_CHARACTERS = 100;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Longer waits are cut to this. */
const LONGEST_MS = 366 * DAY_MS;
/** A number this close to now is a Unix time: no wait is that long. */
const NEAR_NOW_MS = 10 * 366 * DAY_MS;

const NUMBER = /^[+-]?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,4})?$/i;

/**
 * Converts a number to milliseconds: a wait in units of `unitMs`, or the time until a Unix time in seconds,
 * milliseconds or microseconds. 0 for a time in the past.
 */
export function waitOfNumber(value: number, unitMs: number): number {
  const now = Date.now();
  const time = [value * SECOND_MS, value, value / 1000].find((ms) => Math.abs(ms - now) < NEAR_NOW_MS);
  return bounded(time === undefined ? value * unitMs : time - now);
}

const bounded = (ms: number): number => Math.min(Math.max(0, ms), LONGEST_MS);

/**
 * Parses a text that is only a number, a duration (`6m0s`, `1 hour 3 minutes`) or a time, to milliseconds. Of several
 * numbers, from repeated headers, the largest counts.
 * @param unitMs of a bare number
 */
export function readWait(text: string, unitMs = SECOND_MS): number | undefined {
  const given = text.trim();
  if (given === '' || given.length > MAX_WAIT_CHARACTERS) return undefined;
  const numbers = given.split(/,\s?/);
  if (numbers.every((number) => NUMBER.test(number)))
    return Math.max(...numbers.map((number) => waitOfNumber(Number(number), unitMs)));
  const read = readDuration(given) ?? readTime(given);
  return read?.length === given.length ? read.ms : undefined;
}

/** A value parsed from the start of a text, and the number of characters it takes. */
interface ParsedWait {
  ms: number;
  length: number;
}

/** A wait in words at the start of a text: "20s", "2 minutes", "2026-01-01T00:00:00Z", "tomorrow". */
export function waitAtStart(text: string): number | undefined {
  const read = readTime(text) ?? readDuration(text);
  if (read) return read.ms;
  if (/^tomorrow\b/i.test(text)) return untilMidnight('UTC');
  const [, number] = /^(\d{1,15}(?:\.\d{1,6})?)(?![\d.,:]*\d|\s?[\p{L}%_-])/u.exec(text) ?? [];
  return number === undefined ? undefined : waitOfNumber(Number(number), SECOND_MS);
}

const UNITS: [RegExp, number][] = [
  [/^(?:ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, SECOND_MS],
  [/^(?:m|mins?|minutes?)$/, MINUTE_MS],
  [/^(?:h|hrs?|hours?)$/, HOUR_MS],
  [/^(?:d|days?)$/, DAY_MS],
  [/^(?:w|weeks?)$/, 7 * DAY_MS],
];
const PART = new RegExp(
  [
    '(?:(?:\\s{0,3},)?\\s{0,3}(?:and\\s{1,3})?)?',
    '(\\d{1,3}(?:,\\d{3}){1,4}(?!\\d)|\\d{1,15}(?:\\.\\d{0,12})?|(?:an?|one)(?=\\s))',
    '[\\s-]{0,3}([a-z]{1,12})(?![a-z])',
  ].join(''),
  'iy',
);
const MAX_PARTS = 6;

/** `1.5s`, `7m12.5s`, `1,200 seconds`, `an hour and 3 minutes` at the start of a text. */
function readDuration(text: string): ParsedWait | undefined {
  let [ms, length] = [0, 0];
  for (let part = 0; part < MAX_PARTS; part++) {
    PART.lastIndex = length;
    const found = PART.exec(text);
    const unit = found && UNITS.find(([name]) => name.test(found[2]!.toLowerCase()));
    if (!unit) break;
    ms += (/^[a-z]/i.test(found[1]!) ? 1 : Number(found[1]!.replaceAll(',', ''))) * unit[1];
    length = PART.lastIndex;
  }
  return length > 0 ? { ms: bounded(ms), length } : undefined;
}

const ISO = new RegExp(
  [
    '^(\\d{4}-\\d{2}-\\d{2})',
    '(?:(?:T|,?\\s{1,2}(?:at\\s)?)(\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?)',
    '\\s{0,2}(Z\\b|\\(?(?:UTC|GMT)\\)?|[+-]\\d{2}:?\\d{2})?)?',
  ].join(''),
  'i',
);
/** `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994` (RFC 9110). */
const HTTP_DATES = [
  /^[a-z]{3,9},?\s\d{1,2}[\s-][a-z]{3}[\s-]\d{2,4}\s\d{2}:\d{2}:\d{2}(\s(?:GMT|UTC?|[ECMP][SD]T|[+-]\d{4})\b)?/i,
  /^[a-z]{3}\s[a-z]{3}\s{1,2}\d{1,2}\s\d{2}:\d{2}:\d{2}\s\d{4}()/i,
];
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const DAY = '\\d{1,2}(?:st|nd|rd|th)?';
/** `December 1, 2026`, `1 Dec 2026`, `Dec 1st, 2026 at 3:04 PM`. */
const DATE_IN_WORDS = new RegExp(
  `^(?:${MONTH}\\s${DAY}|${DAY}\\s${MONTH}),?\\s\\d{4}(?:,?(?:\\sat)?\\s\\d{1,2}:\\d{2}(?::\\d{2})?(?:\\s?[ap]m)?)?`,
  'i',
);
const CLOCK = new RegExp(
  '^(?:(\\d{1,2})(?::(\\d{2}))?(?::\\d{2})?(?:\\s?([ap])\\.?m\\.?)?\\s{0,2}\\(?(?:UTC|GMT)\\b\\)?|' +
    'midnight\\b(?:\\s\\(?(?:UTC|GMT)\\b\\)?)?)',
  'i',
);

/** The time until a date or a time of day at the start of a text. Without a zone it is UTC. */
function readTime(text: string): ParsedWait | undefined {
  const iso = ISO.exec(text);
  if (iso) {
    const [all, day, clock = '00:00', zone = 'Z'] = iso;
    return millisecondsUntil(`${day}T${clock}${/^\(?[UG]/i.test(zone) ? 'Z' : zone.toUpperCase()}`, all.length);
  }
  for (const format of HTTP_DATES) {
    const [date, zone] = format.exec(text) ?? [];
    if (date) return millisecondsUntil(zone ? date : `${date} GMT`, date.length);
  }
  const [date] = DATE_IN_WORDS.exec(text) ?? [];
  if (date) {
    const plain = date.replace(/(\d)(?:st|nd|rd|th)\b|\sat\b/gi, '$1').replace(/(\d)([ap]m)/i, '$1 $2');
    return millisecondsUntil(`${plain} GMT`, date.length);
  }
  const [all, hours = '0', minutes = '0', half] = CLOCK.exec(text) ?? [];
  if (!all) return undefined;
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours);
  const now = Date.now();
  const today = Math.floor(now / DAY_MS) * DAY_MS + hour * HOUR_MS + Number(minutes) * MINUTE_MS;
  return { ms: today > now ? today - now : today + DAY_MS - now, length: all.length };
}

function millisecondsUntil(date: string, length: number): ParsedWait | undefined {
  const at = Date.parse(date);
  return Number.isNaN(at) ? undefined : { ms: bounded(at - Date.now()), length };
}

/** A refusal this soon after midnight may come from a host whose clock is slow. */
const SLOW_CLOCK_MS = 10 * MINUTE_MS;
const NEXT_TRY_MS = 30 * MINUTE_MS;

/**
 * The milliseconds until midnight in a time zone, when daily quotas reset.
 * @param timeZone such as `UTC`
 */
export function untilMidnight(timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).formatToParts(Date.now());
  const [hours, minutes, seconds] = ['hour', 'minute', 'second'].map((type) =>
    Number(parts.find((part) => part.type === type)!.value),
  );
  const sinceMs = hours! * HOUR_MS + minutes! * MINUTE_MS + seconds! * SECOND_MS + (Date.now() % SECOND_MS);
  return sinceMs < SLOW_CLOCK_MS ? NEXT_TRY_MS : DAY_MS - sinceMs;
}
