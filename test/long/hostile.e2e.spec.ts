// A deployment of its own: what it sends would slow other tests down.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { playsAll } from '../seed.js';

const bench = (...args: string[]) =>
  promisify(execFile)('node_modules/.bin/node', ['bench/hostile/run.mjs', ...args], {
    timeout: 30 * 60_000,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(error.stdout + error.stderr.slice(-20_000));
  });

const listed = async (): Promise<string[]> => (await bench('--list')).stdout.trim().split('\n');

/** How each attack alone goes: fails unless all is well. */
async function playEach(attacks: readonly string[]): Promise<void> {
  const { stdout } = await bench(...attacks, '--items=120');
  console.log(stdout);
  const rows = stdout.split('\n').flatMap((line) => line.match(/^\| ([^|]+) \| [\d.]+ \|/)?.[1] ?? []);
  expect(rows).toEqual(attacks);
}

/** How many attacks are made at once. */
const GROUP = 8;

it(
  playsAll
    ? 'beside each attack alone a run takes at most twice its time and is exact, and no process ends'
    : 'beside groups of attacks a run is exact, and no process ends',
  async () => {
    const attacks = await listed();
    if (playsAll) return playEach(attacks);
    for (let first = 0; first < attacks.length; first += GROUP) {
      const group = attacks.slice(first, first + GROUP);
      const { stdout } = await bench(...group, '--items=120', '--at-once', '--json').catch(async (error: Error) => {
        await playEach(group); // Names the one that does it.
        throw error;
      });
      expect(JSON.parse(stdout).rows).toEqual([
        expect.objectContaining({ names: group, wrong: [], repeated: 0, ended: [], failures: [] }),
      ]);
    }
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
