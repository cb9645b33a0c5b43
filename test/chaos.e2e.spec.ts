import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// TOOLMARK_CHAOS_SEED repeats the faults of an earlier run of this test; `node bench/chaos/run.mjs` is the same for longer.
const seed = process.env.TOOLMARK_CHAOS_SEED ?? String(Date.now() % 1e6);

it(`in a storm of faults (seed ${seed}) every item is settled once, counters, summaries and log are exact, and clients are told all of it once`, async () => {
  const args = ['bench/chaos/run.mjs', '2000', '20', seed, '8', '--json'];
  const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: 230_000 }).catch((error: { stderr: string }) => {
    throw new Error(error.stderr);
  });
  const { differences, watching, repeated, repeatedAtMost, faults } = JSON.parse(stdout);
  console.log(stderr);
  expect({ differences, watching }).toEqual({ differences: [], watching: [] });
  // Beyond what killed and frozen workers had in hand nothing is asked twice.
  expect(repeated).toBeLessThanOrEqual(repeatedAtMost);
  expect(Object.keys(faults).length).toBeGreaterThan(2);
}, 240_000);
