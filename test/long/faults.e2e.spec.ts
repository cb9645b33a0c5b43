import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** The commit before this one, if the checkout has it, as the earlier release beside the new one. */
const { status, stdout: before } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD^'], {
  encoding: 'utf8',
});

it('after each fault alone a run has one result per item, and its counters, summaries and log are exact', async () => {
  const args = ['bench/chaos/faults.mjs', ...(status === 0 ? [`--earlier=${before.trim()}`] : [])];
  const { stdout } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: 890_000 }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    },
  );
  console.log(stdout);
  expect(stdout.match(/\| exact \|$/gm)?.length).toBeGreaterThanOrEqual(12);
}, 900_000);
