import { seed } from './seed.js';
import { expectExactAfterStorm } from './storm.js';

it(
  `in a storm of faults (seed ${seed}) every item is settled once, counters, summaries and log are exact, and clients are told all of it once`,
  () => expectExactAfterStorm({ items: 2000, seconds: 20, timeoutMs: 230_000 }),
  240_000,
);
