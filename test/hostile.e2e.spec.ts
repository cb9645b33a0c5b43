import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

it('beside several attacks of another team a run makes each request once, and all processes answer', async () => {
  const attacks = ['packets that are no objects', 'replies of 60,000 calls', 'an error with U+0000', 'tokens to count'];
  const args = ['bench/hostile/run.mjs', ...attacks, '--items=160', '--latency=200', '--at-once', '--json'];
  const { stdout } = await promisify(execFile)('node_modules/.bin/node', args, { timeout: 290_000 }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    },
  );
  const {
    rows: [seen],
  } = JSON.parse(stdout);
  console.log(seen.outcomes.join('\n')); // shows that the attacks took place
  expect(seen).toMatchObject({ names: attacks, wrong: [], repeated: 0, ended: [], failures: [] });
  expect(seen.outcomes).toEqual([
    expect.stringMatching(/\d+ x packets/),
    expect.stringContaining('items oversized_reply'),
    expect.stringContaining('items bad_request'),
    expect.stringContaining('estimate 200'),
  ]);
  // The API and two workers.
  expect(seen.health).toHaveLength(3);
  for (const { answers, refused } of seen.health) {
    expect(answers).toBeGreaterThan(5);
    expect(refused).toBe(0);
  }
}, 300_000);
