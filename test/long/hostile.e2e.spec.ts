import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const bench = (...args: string[]) =>
  promisify(execFile)('node_modules/.bin/node', ['bench/hostile/run.mjs', ...args], {
    timeout: 30 * 60_000,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(error.stdout + error.stderr.slice(-20_000));
  });

it(
  'beside each attack alone a run takes at most twice its time and is exact, and no process ends',
  async () => {
    const attacks = (await bench('--list')).stdout.trim().split('\n');
    const { stdout } = await bench('--items=120'); // fails unless all is well
    console.log(stdout);
    expect(stdout.split('\n').flatMap((line) => line.match(/^\| ([^|]+) \| [\d.]+ \|/)?.[1] ?? [])).toEqual(attacks);
  },
  31 * 60_000,
);

it('beside several attacks of another team a run makes each request once, and all processes answer', async () => {
  const attacks = ['packets that are no objects', 'replies of 60,000 calls', 'an error with U+0000', 'tokens to count'];
  const { stdout } = await bench(...attacks, '--items=160', '--latency=200', '--at-once', '--json');
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
