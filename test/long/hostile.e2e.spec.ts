// A private deployment: it is attacked.
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

/** Plays each attack alone; fails unless all is well. */
async function playEach(attacks: readonly string[]): Promise<void> {
  const { stdout } = await bench(...attacks, '--items=120');
  console.log(stdout);
  const rows = stdout.split('\n').flatMap((line) => line.match(/^\| ([^|]+) \| [\d.]+ \|/)?.[1] ?? []);
  expect(rows).toEqual(attacks);
}

/** How many attacks run at once. */
const GROUP = 9;
/** Attacks that are played together in a soak, which otherwise plays each attack alone. */
const AT_ONCE = ['packets that are not objects', 'replies of 60,000 calls', 'an error with U+0000', 'tokens to count'];

/** Measurements during groups of attacks, each of which took place. */
let rows: any[];
beforeAll(async () => {
  const { stdout } = await bench(...(playsAll ? AT_ONCE : []), '--items=48', `--at-once=${GROUP}`, '--json');
  ({ rows } = JSON.parse(stdout));
}, 10 * 60_000);

it(
  playsAll
    ? 'during each attack a run takes no more than twice its time and is exact, and no process ends'
    : 'during groups of attacks a run is exact, and no process ends',
  async () => {
    const attacks = await listed();
    if (playsAll) return playEach(attacks);
    expect(rows.flatMap(({ names }) => names)).toEqual(attacks);
    const isWell = ({ wrong, repeated, ended, failures }: any) =>
      repeated === 0 && [wrong, ended, failures].every(({ length }) => length === 0);
    const ill = rows.filter((row) => !isWell(row));
    for (const { names } of ill) await playEach(names); // Finds the attack responsible.
    expect(ill).toEqual([]);
  },
  31 * 60_000,
);

it('during several attacks of another team a run makes each request once, and all processes answer', () => {
  for (const seen of rows) {
    console.log(seen.outcomes.join('\n'));
    expect(seen).toMatchObject({ wrong: [], repeated: 0, ended: [], failures: [] });
    // The API and two workers.
    expect(seen.health).toHaveLength(3);
    for (const { answers, refused } of seen.health) {
      expect(answers).toBeGreaterThan(5);
      expect(refused).toEqual([]);
    }
  }
});
