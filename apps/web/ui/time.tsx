import { useSyncExternalStore } from 'react';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "3 hours ago". */
export function relativeTime(at: Date, now = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  return 'just now';
}

/** "1 h 5 min", "12 s", "340 ms". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${ms < 10_000 ? (ms / 1000).toFixed(1) : seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
}

/** A time relative to now; its title is the exact time in the reader's zone. */
export function Time({ at }: { at: string }) {
  useMinute();
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {relativeTime(date)}
    </time>
  );
}

const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** "25 Nov 14:08" */
export const momentWords = (at: string): string => DAY_AND_TIME.format(new Date(at)).replace(',', '');

/** The same, where several times are compared; its title is the exact time. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {momentWords(at)}
    </time>
  );
}

const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const minute = (): number => Math.floor(Date.now() / MINUTE_MS);

/** Rerenders the component every minute; all share one timer. */
function useMinute(): void {
  useSyncExternalStore(subscribe, minute, minute);
}
