import { SentEvents } from './sent-events.js';

it('an event is sent once while it is remembered', () => {
  let nowMs = 0;
  const sent = new SentEvents(75_000, () => nowMs);
  expect([sent.add('a', 1), sent.add('a', 2), sent.add('b', 1)]).toEqual([true, true, true]);
  nowMs = 74_999;
  expect([sent.add('a', 1), sent.add('b', 1), sent.add('a', 3)]).toEqual([false, false, true]);
  nowMs = 75_000;
  expect([sent.add('a', 1), sent.add('a', 3)]).toEqual([true, false]);
});

it('a socket that is open for weeks remembers only the last events', () => {
  let nowMs = 0;
  const sent = new SentEvents(75_000, () => nowMs);
  let [largest, added] = [0, 0];
  for (let job = 0; job < 100_000; job++) {
    nowMs += 1000;
    for (const seq of [1, 9]) if (sent.add(String(job), seq)) added++;
    largest = Math.max(largest, sent.size);
  }
  expect([added, largest]).toEqual([200_000, 150]);
});
