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
    const { stdout } = await bench(); // fails unless all is well
    console.log(stdout);
    expect(stdout.split('\n').flatMap((line) => line.match(/^\| ([^|]+) \| [\d.]+ \|/)?.[1] ?? [])).toEqual(attacks);
  },
  31 * 60_000,
);
