// A private deployment: its stores and workers fail.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { playsAll, repeatable, seed } from '../seed.js';

/** A commit plays a short storm. */
const [ITEMS, SECONDS, IN_FLIGHT] = playsAll ? [5000, 150, 8] : [800, 24, 8];
const TIMEOUT_MS = 590_000;

/** Plays a storm of faults during two runs, the same for each TOOLMARK_TEST_SEED. */
async function playStorm() {
  const args = ['bench/chaos/run.mjs', ...[ITEMS, SECONDS, seed, IN_FLIGHT].map(String), '--json'];
  const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: TIMEOUT_MS }).catch(
    (error: { stderr: string }) => {
      throw new Error(error.stderr);
    },
  );
  console.log(stderr);
  return JSON.parse(stdout);
}

it(
  `in a storm of faults (seed ${seed}) items settle once, counters and log are exact, clients get each event once`,
  async () => {
    const { differences, watching, repeated, repeatedAtMost, faults } = await repeatable(playStorm);
    expect({ differences, watching }).toEqual({ differences: [], watching: [] });
    // Only claimed items of killed and frozen workers are requested twice.
    expect(repeated).toBeLessThanOrEqual(repeatedAtMost);
    expect(Object.keys(faults).length).toBeGreaterThan(2);
  },
  TIMEOUT_MS + 10_000,
);
