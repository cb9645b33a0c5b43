import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

it('beside a team that is hostile in several ways at once another one has its run: every request made once, no process ends, and all keep answering', async () => {
  const ways = ['packets that are no objects', 'an error with U+0000', 'replies of 60,000 calls', 'tokens to count'];
  const args = ['bench/hostile/run.mjs', ...ways, '--items=60', '--latency=200', '--at-once', '--json'];
  const { stdout, stderr } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: 170_000 }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(error.stdout + error.stderr);
  });
  const { rows: [seen] } = JSON.parse(stdout);
  console.log(seen.outcomes.join('\n'));
  expect(stderr).not.toContain('uncaught');
  expect(seen).toMatchObject({ names: ways, wrong: [], repeated: 0, ended: [], failures: [] });
  expect(seen.outcomes).toEqual([expect.stringMatching(/\d+ x packets/), expect.stringContaining('items bad_request'), expect.stringContaining('requests to its provider'), expect.stringContaining('estimate 200')]);
  // Of the API and two workers.
  expect(seen.health).toHaveLength(3);
  for (const { answers, refused } of seen.health) {
    expect(answers).toBeGreaterThan(5);
    expect(refused).toBe(0);
  }
}, 180_000);
