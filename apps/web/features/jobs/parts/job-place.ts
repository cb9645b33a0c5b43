import { count } from '../../../ui/score.js';

/** The API counts up to this number. */
const LAST_COUNTED = 1000;

/** What a job in its user's queue is waiting for: "next in the queue of Ada". */
export function placeInWords(position: number, user: string | null): string {
  const queue = user === null ? 'the queue of its user' : `the queue of ${user.slice(0, 100)}`;
  if (position === 1) return `next in ${queue}`;
  const before = count(position - 1);
  return `${before}${position >= LAST_COUNTED ? ' or more' : ''} ahead in ${queue}`;
}
