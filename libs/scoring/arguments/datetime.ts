/**
 * Dates and times of RFC 3339 and ISO 8601: a calendar date, alone or with a time of day, which may have an offset.
 * Either the extended or the basic format, not a mix of both.
 */
const EXTENDED =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/;
const BASIC = /^(\d{4})(\d\d)(\d\d)(?:[Tt ](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/;

const DAY = 86_400;
/** The Gregorian calendar repeats after 400 years. `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
const CYCLE_YEARS = 400;

/** A parsed text: a date, a local time of day on a date, or an instant. */
export interface DateTime {
  kind: 'date' | 'local' | 'instant';
  /** Equal for two texts exactly if they mean the same. */
  key: string;
}

/** Parses a date or time. Undefined for any other text, and for dates that do not exist. */
export function parseDateTime(text: string): DateTime | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zulu, offsetHour, offsetMinute = '0'] = match;
  const days = dayNumber(Number(year), Number(month), Number(day));
  if (days === undefined) return undefined;
  if (hour === undefined) return { kind: 'date', key: `date ${days}` };

  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  const parts = withoutTrailingZeros(fraction);
  const endsDay = hours === 24 && minutes === 0 && seconds === 0 && parts === '';
  if ((hours > 23 && !endsDay) || minutes > 59 || seconds > 60) return undefined;
  const isLeap = seconds === 60;
  const local = days * DAY + hours * 3600 + minutes * 60 + (isLeap ? 59 : seconds);
  const fractional = parts && `.${parts}`;
  if (zulu === undefined && offsetHour === undefined)
    return isLeap ? undefined : { kind: 'local', key: `local ${local}${fractional}` };

  const offset = zulu === undefined ? offsetSeconds(offsetHour!, Number(offsetMinute)) : 0;
  if (offset === undefined) return undefined;
  const utc = local - offset;
  if (isLeap && !endsMonth(utc)) return undefined;
  return { kind: 'instant', key: `instant ${utc}${isLeap ? ' leap' : ''}${fractional}` };
}

/** The number of a day, counted from 1 January 1970 a cycle earlier. Undefined if the month has no such day. */
function dayNumber(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year + CYCLE_YEARS, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / (DAY * 1000) : undefined;
}

/** Whether the second is the last one of a month, where leap seconds are inserted. */
const endsMonth = (seconds: number): boolean =>
  (seconds + 1) % DAY === 0 && new Date((seconds + 1) * 1000).getUTCDate() === 1;

function offsetSeconds(hours: string, minutes: number): number | undefined {
  const [sign, count] = [hours.startsWith('-') ? -1 : 1, Number(hours.slice(1))];
  return count > 23 || minutes > 59 ? undefined : sign * (count * 3600 + minutes * 60);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
