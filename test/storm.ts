import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { seed } from './seed.js';

/**
 * Plays a storm of faults, the same for each TOOLMARK_TEST_SEED, during two runs of `items` items together, and expects
 * that it leaves no trace. `node bench/chaos/run.mjs` does the same by hand.
 */
export async function expectExactAfterStorm({
  items,
  seconds,
  timeoutMs,
}: {
  items: number;
  seconds: number;
  timeoutMs: number;
}): Promise<void> {
  const args = ['bench/chaos/run.mjs', ...[items, seconds, seed, 8].map(String), '--json'];
  const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: timeoutMs }).catch(
    (error: { stderr: string }) => {
      throw new Error(error.stderr);
    },
  );
  const { differences, watching, repeated, repeatedAtMost, faults } = JSON.parse(stdout);
  console.log(stderr);
  expect({ differences, watching }).toEqual({ differences: [], watching: [] });
  // Only claimed items of killed and frozen workers are asked twice.
  expect(repeated).toBeLessThanOrEqual(repeatedAtMost);
  expect(Object.keys(faults).length).toBeGreaterThan(2);
}
