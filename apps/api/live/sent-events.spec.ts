import { SentEvents } from './sent-events.js';

it('an event is told once while it is remembered', () => {
  let nowMs = 0;
  const told = new SentEvents(75_000, () => nowMs);
  expect([told.firstTime('a', 1), told.firstTime('a', 2), told.firstTime('b', 1)]).toEqual([true, true, true]);
  nowMs = 74_999;
  expect([told.firstTime('a', 1), told.firstTime('b', 1), told.firstTime('a', 3)]).toEqual([false, false, true]);
  nowMs = 75_000;
  expect([told.firstTime('a', 1), told.firstTime('a', 3)]).toEqual([true, false]);
});

it('a socket that is open for weeks remembers the last events alone', () => {
  let nowMs = 0;
  const told = new SentEvents(75_000, () => nowMs);
  let [most, first] = [0, 0];
  for (let job = 0; job < 100_000; job++) {
    nowMs += 1000;
    for (const seq of [1, 9]) if (told.firstTime(String(job), seq)) first++;
    most = Math.max(most, told.size);
  }
  expect([first, most]).toEqual([200_000, 150]);
});
