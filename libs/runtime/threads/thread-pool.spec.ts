import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '../../../test/until.js';
import { ThreadLimitExceeded, ThreadPool, TooManyTasks, type ThreadLimits } from './thread-pool.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-threads-'));
const entry = pathToFileURL(join(folder, 'thread.mjs'));
writeFileSync(
  entry,
  `
import { getPriority } from 'node:os';
import { serveTasks } from ${JSON.stringify(pathToFileURL(resolve('dist/libs/runtime/threads/thread-entry.js')).href)};
const held = [];
let tasks = 0;
serveTasks(async ({ what, value }) => {
  if (what === 'spin') for (;;);
  if (what === 'hang') await new Promise(() => setInterval(() => {}, 1000));
  if (what === 'grow') for (;;) held.push(new Array(1e5).fill(Math.random()));
  if (what === 'throw') throw Object.assign(new TypeError('no such thing'), { path: '/a' });
  if (what === 'exit') process.exit(3);
  if (what === 'count') return ++tasks;
  if (what === 'priority') return getPriority();
  return value;
});`,
);
const pools: ThreadPool<object, unknown>[] = [];
const poolOf = (
  limits: Partial<ThreadLimits> = {},
  mostWaiting?: number,
  idleMs?: number,
): ThreadPool<object, unknown> => {
  const pool = new ThreadPool<object, unknown>(
    entry,
    { threads: 2, cpuMs: 300, wallMs: 20_000, heapMb: 64, ...limits },
    mostWaiting,
    undefined,
    idleMs,
  );
  pools.push(pool);
  return pool;
};
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(folder, { recursive: true });
});

it('a thread answers a task, and its errors are rethrown with their properties', async () => {
  const pool = poolOf();
  expect(await pool.run({ what: 'echo', value: [1, 'two'] }, 'a')).toEqual([1, 'two']);
  await expect(pool.run({ what: 'throw' }, 'a')).rejects.toMatchObject({
    name: 'TypeError',
    message: 'no such thing',
    path: '/a',
  });
});

it('a thread yields to the event loop of its process', async () => {
  const own = getPriority();
  const below = platform() === 'linux' ? Math.max(own, 4) : own;
  expect(await poolOf().run({ what: 'priority' }, 'a')).toBe(below);
  expect(getPriority()).toBe(own);
});

it.each([
  ['spins', { what: 'spin' }, {}, 'CPU time'],
  ['waits for ever', { what: 'hang' }, { wallMs: 1500 }, 'more than 1.5 s'],
  ['takes all memory', { what: 'grow' }, { cpuMs: 60_000 }, '64 MB of memory'],
])('a task that %s is cancelled alone, and the next one is answered', async (_name, task, limits, why) => {
  const pool = poolOf(limits);
  const refused = pool.run(task, 'a');
  await expect(refused).rejects.toThrow(ThreadLimitExceeded);
  await expect(refused).rejects.toThrow(why);
  expect(await pool.run({ what: 'echo', value: 1 }, 'a')).toBe(1);
});

it('a thread that ends fails its task alone', async () => {
  const pool = poolOf({ threads: 1 });
  const [ended, next] = [pool.run({ what: 'exit' }, 'a'), pool.run({ what: 'echo', value: 2 }, 'a')];
  await expect(ended).rejects.toThrow('The thread ended');
  expect(await next).toBe(2);
});

it('a thread that exhausts its memory fails only its task, and waiting tasks are answered', async () => {
  const pool = poolOf({ threads: 1, cpuMs: 60_000 });
  const [ended, next] = [pool.run({ what: 'grow' }, 'a'), pool.run({ what: 'echo', value: 2 }, 'b')];
  await expect(ended).rejects.toThrow('64 MB of memory');
  expect(await next).toBe(2);
});

it('many tasks of one group leave a thread to the others', async () => {
  const pool = poolOf({ cpuMs: 60_000 });
  const spinning = [1, 2, 3].map(() => pool.run({ what: 'spin' }, 'hostile').catch(() => 'closed'));
  expect(await pool.run({ what: 'echo', value: 3 }, 'honest')).toBe(3);
  await pool.close();
  expect(await Promise.all(spinning)).toEqual(['closed', 'closed', 'closed']);
});

it('a group with too many waiting tasks is refused, and others are not', async () => {
  const pool = poolOf({ threads: 2, cpuMs: 60_000 }, 1);
  const first = pool.run({ what: 'spin' }, 'a').catch(() => {});
  const second = pool.run({ what: 'echo' }, 'a').catch(() => {});
  await expect(pool.run({ what: 'echo' }, 'a')).rejects.toThrow(TooManyTasks);
  expect(await pool.run({ what: 'echo', value: 4 }, 'b')).toBe(4);
  await pool.close();
  await Promise.all([first, second]);
});

it('a cancelled task leaves the queue or its thread, and the next one is answered', async () => {
  const pool = poolOf({ threads: 1, cpuMs: 60_000 });
  const abort = new AbortController();
  const [running, waiting] = [
    pool.run({ what: 'spin' }, 'a', abort.signal),
    pool.run({ what: 'spin' }, 'a', abort.signal),
  ];
  const next = pool.run({ what: 'echo', value: 5 }, 'a');
  abort.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
  await expect(waiting).rejects.toThrow('cancelled');
  expect(await next).toBe(5);
  await expect(pool.run({ what: 'echo' }, 'a', abort.signal)).rejects.toThrow('cancelled');
});

it('an idle thread ends and frees its memory, and the next task starts a new one', async () => {
  const pool = poolOf({ threads: 1 }, undefined, 50);
  const count = (): Promise<unknown> => pool.run({ what: 'count' }, 'a');
  expect(await count()).toBe(1);
  await until(async () => (await count()) === 1, { everyMs: 100 });
});
