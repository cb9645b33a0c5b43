import { seed } from '../seed.js';
import { expectExactAfterStorm } from '../storm.js';

it(
  `in a storm of minutes (seed ${seed}) items settle once, counters and log are exact, clients get each event once`,
  () => expectExactAfterStorm({ items: 8000, seconds: 240, timeoutMs: 590_000 }),
  600_000,
);
