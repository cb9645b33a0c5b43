/** Where values lie on an axis. */
export interface Scale {
  /** From 0 at the start of the axis to 1 at its end. */
  at: (value: number) => number;
  ticks: readonly number[];
}

const between = (low: number, high: number): ((value: number) => number) =>
  high === low ? () => 0.5 : (value) => (value - low) / (high - low);

const MAX_TICKS = 6;
/** The steps of ticks, in each power of ten. */
const STEPS = [1, 2, 2.5, 5, 10, 20, 25];

/** A linear scale that begins and ends at a tick. Equal values get a span of one step around them. */
export function linearScale(values: readonly number[], maxTicks = MAX_TICKS): Scale {
  const { low, high } = spanOf(values);
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / maxTicks));
  for (const step of STEPS.map((one) => one * power)) {
    const [first, last] = [Math.floor(low / step + EPSILON), Math.ceil(high / step - EPSILON)];
    const end = Math.max(last, first + 1);
    if (end - first >= maxTicks) continue;
    const ticks = Array.from({ length: end - first + 1 }, (_, n) => rounded((first + n) * step));
    return { at: between(ticks[0]!, ticks.at(-1)!), ticks };
  }
  return { at: between(low, low + span), ticks: [low, low + span] };
}

/** Keeps a value that lies on a tick there in spite of rounding. */
const EPSILON = 1e-9;
const rounded = (value: number): number => Number(value.toPrecision(12));

/** A logarithmic scale of positive values, with ticks at 1, 2 and 5 in each power of ten while they are few. */
export function logScale(values: readonly number[], maxTicks = MAX_TICKS): Scale {
  const { low, high } = spanOf(values.filter((value) => value > 0));
  const from = low || 1;
  const to = high > from ? high : from * 10;
  const [first, last] = [Math.floor(Math.log10(from) + EPSILON), Math.ceil(Math.log10(to) - EPSILON)];
  const powers = Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n));
  const all = powers.flatMap((power) => [1, 2, 5].map((step) => rounded(step * power)));
  const inside = all.slice(0, all.findIndex((tick) => tick >= to * (1 - EPSILON)) + 1 || undefined);
  const start = inside.findLastIndex((tick) => tick <= from * (1 + EPSILON));
  const fine = inside.slice(Math.max(0, start));
  const every = Math.ceil(powers.length / maxTicks);
  const ticks = fine.length <= maxTicks ? fine : powers.filter((_, n) => n % every === 0);
  const ends = fine.length <= maxTicks ? fine : powers;
  const at = between(Math.log10(ends[0]!), Math.log10(ends.at(-1)!));
  return { at: (value) => at(Math.log10(value)), ticks };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Each is about so long, and starts at local times. */
const TIME_STEPS: readonly { ms: number; floor: (at: Date, n: number) => Date }[] = [
  ...[1, 5, 15, 30].map((minutes) => ({
    ms: minutes * MINUTE_MS,
    floor: (at: Date, n: number) =>
      new Date(
        at.getFullYear(),
        at.getMonth(),
        at.getDate(),
        at.getHours(),
        (Math.floor(at.getMinutes() / minutes) + n) * minutes,
      ),
  })),
  ...[1, 3, 6, 12].map((hours) => ({
    ms: hours * 60 * MINUTE_MS,
    floor: (at: Date, n: number) =>
      new Date(at.getFullYear(), at.getMonth(), at.getDate(), (Math.floor(at.getHours() / hours) + n) * hours),
  })),
  ...[1, 2, 7, 14].map((days) => ({
    ms: days * DAY_MS,
    floor: (at: Date, n: number) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + n * days),
  })),
  ...[1, 3, 6, 12].map((months) => ({
    ms: months * 30.4 * DAY_MS,
    floor: (at: Date, n: number) => new Date(at.getFullYear(), (Math.floor(at.getMonth() / months) + n) * months, 1),
  })),
];

/** A scale of times in milliseconds, with ticks at whole minutes, hours, days or months of the reader's time zone. */
export function timeScale(times: readonly number[], maxTicks = MAX_TICKS): Scale & { words: (tick: number) => string } {
  const { low, high } = spanOf(times);
  const span = high - low;
  const step = TIME_STEPS.find(({ ms }) => span / ms <= maxTicks) ?? TIME_STEPS.at(-1)!;
  const count = Math.ceil(span / step.ms) + 1;
  const every = Math.ceil(count / (maxTicks + 1));
  const ticks = Array.from({ length: count + 1 }, (_, n) => step.floor(new Date(low), n).getTime()).filter(
    (tick, n) => tick >= low && tick <= high && n % every === 0,
  );
  const format = step.ms >= 28 * DAY_MS ? MONTHS : step.ms >= DAY_MS ? DAYS : CLOCK;
  return { at: between(low, high), ticks, words: (tick) => format.format(new Date(tick)) };
}

const MONTHS = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' });
const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The least and the greatest, without spreading values over the stack. */
function spanOf(values: readonly number[]): { low: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? { low: 0, high: 0 } : { low, high };
}
