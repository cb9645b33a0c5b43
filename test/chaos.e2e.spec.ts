import { seed } from './seed.js';
import { expectExactAfterStorm } from './storm.js';

it(
  `in a storm of faults (seed ${seed}) items settle once, counters and log are exact, clients get each event once`,
  () => expectExactAfterStorm({ items: 2000, seconds: 20, timeoutMs: 230_000 }),
  240_000,
);
