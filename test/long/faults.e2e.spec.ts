// A private deployment: its stores and workers fail.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { drawn, playsAll, repeatable } from '../seed.js';

/** The previous commit, if the checkout has it, as the earlier release that runs with the new one. */
const { status, stdout: before } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD^'], {
  encoding: 'utf8',
});
/** Parts of the names of faults that are not in the storm. Each commit plays one of them, the soak all faults. */
const APART = ['provider down', 'an item that kills', 'clocks of two hosts', 'rolling deploy', 'disk of Postgres'];
if (status === 0) APART.push('an earlier release');
const fault = playsAll ? [] : [APART[drawn(APART.length)]!];

const which = fault[0] ?? 'each of them';

it(`after a single fault (${which}) a run has one result per item, and all counters are exact`, async () => {
  const args = ['bench/chaos/faults.mjs', ...fault, ...(status === 0 ? [`--earlier=${before.trim()}`] : [])];
  await repeatable(async () => {
    const { stdout } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: 890_000 }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(error.stdout + error.stderr);
      },
    );
    console.log(stdout);
    expect(stdout.match(/\| exact \|$|not tried: mounting/gm)?.length).toBeGreaterThanOrEqual(playsAll ? 12 : 1);
  });
}, 900_000);
