import { seed } from '../seed.js';
import { expectExactAfterStorm } from '../storm.js';

it(
  `in a storm of minutes (seed ${seed}) every item is settled once, counters, summaries and log are exact, and clients are told all of it once`,
  () => expectExactAfterStorm({ items: 8000, seconds: 240, timeoutMs: 590_000 }),
  600_000,
);
