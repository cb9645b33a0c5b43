import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { someoneWaits } from '../../../test/lock-wait.js';
import { createDatabase } from '../../../test/services.js';
import { migrate } from './migrate.js';
import { createPool, type Pool } from './pool.js';
import { applyFunctions } from './sql-functions.js';

const FUNCTIONS = new URL('../../../prisma/functions', import.meta.url).pathname;

let url: string;
let pool: Pool;
let other: Pool;
let folder: string;
beforeEach(async () => {
  ({ url } = await createDatabase());
  pool = createPool(url, 2);
  other = createPool(url, 1);
  folder = await mkdtemp(join(tmpdir(), 'toolmark-functions-'));
});
afterEach(async () => {
  await Promise.all([pool.end(), other.end()]);
  await rm(folder, { recursive: true });
});

/** Writes a SQL function that returns `text`. */
const write = (name: string, text: string): Promise<void> =>
  writeFile(
    join(folder, `${name}.sql`),
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS text LANGUAGE sql AS $$ SELECT '${text}' $$;`,
  );
const apply = (migration = '2'): Promise<string[]> => applyFunctions(pool, folder, migration);
const call = async (name: string): Promise<string> =>
  (await pool.query<{ text: string }>(`SELECT ${name}() AS text`)).rows[0]!.text;
const functionsOfDatabase = async (): Promise<string[]> =>
  (
    await pool.query<{ name: string }>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    )
  ).rows.map(({ name }) => name);

it('every function of the database is in the file of its name, once', async () => {
  const files = (await readdir(FUNCTIONS)).filter((file) => file.endsWith('.sql'));
  const names = files.map((file) => file.replace('.sql', '').replaceAll('-', '_')).sort();
  expect(await functionsOfDatabase()).toEqual(names);
});

it('replicas that migrate at once apply each function once', async () => {
  await pool.query('TRUNCATE sql_function');
  const applied = await Promise.all([migrate(url), migrate(url)]);
  const [first, second] = applied.map(({ functions }) => functions).sort((a, b) => b.length - a.length);
  expect(first).toContain('settle-items');
  expect(second).toEqual([]);
});

it('a function is applied only when its text has changed', async () => {
  await write('a', 'first');
  expect(await apply()).toEqual(['a']);
  expect(await apply()).toEqual([]);
  await write('a', 'second');
  await write('b', 'first');
  expect(await apply()).toEqual(['a', 'b']);
  expect([await call('a'), await call('b')]).toEqual(['second', 'first']);
});

describe('a release that starts next to a newer one', () => {
  it('does not restore its older text', async () => {
    await write('a', 'older');
    await apply('1');
    await write('a', 'newer');
    await apply('2');
    await write('a', 'older');
    expect(await apply('1')).toEqual([]);
    expect(await call('a')).toBe('newer');
  });

  it('does not put an older text into a database that the newer one has made', async () => {
    await write('a', 'newer');
    await apply('2');
    await write('a', 'older');
    expect(await apply('1')).toEqual([]);
    expect(await call('a')).toBe('newer');
  });

  it('is put right by the newer one, if it comes from before releases were told apart', async () => {
    await write('a', 'newer');
    await apply('2');
    await pool.query(`INSERT INTO sql_function (name, sha256) VALUES ('a', 'older')`);
    await pool.query(`CREATE OR REPLACE FUNCTION a() RETURNS text LANGUAGE sql AS $$ SELECT 'older' $$`);
    expect(await apply('2')).toEqual(['a']);
    expect(await call('a')).toBe('newer');
    expect(await apply('2')).toEqual([]);
  });
});

it('a process that dies midway leaves nothing behind, and the next one applies everything', async () => {
  const before = await functionsOfDatabase();
  await write('a', 'first');
  await writeFile(join(folder, 'b.sql'), 'SELECT pg_terminate_backend(pg_backend_pid());');
  await expect(apply()).rejects.toThrow();
  expect(await functionsOfDatabase()).toEqual(before);
  await write('b', 'first');
  expect(await apply()).toEqual(['a', 'b']);
  expect(await call('a')).toBe('first');
});

it('concurrent processes continue: it yields in a deadlock', async () => {
  const worker = await pool.connect();
  await worker.query('BEGIN; LOCK TABLE team IN ROW EXCLUSIVE MODE');
  await writeFile(join(folder, 'a.sql'), 'ALTER TABLE lane ADD a int; ALTER TABLE team ADD a int;');
  const applied = apply();
  await someoneWaits(other);
  await worker.query('LOCK TABLE lane IN ROW EXCLUSIVE MODE; COMMIT');
  worker.release();
  expect(await applied).toEqual(['a']);
});

it('a function whose file is gone stays for the previous release', async () => {
  await write('a', 'first');
  await apply();
  await rm(join(folder, 'a.sql'));
  expect(await apply()).toEqual([]);
  expect(await call('a')).toBe('first');
});
