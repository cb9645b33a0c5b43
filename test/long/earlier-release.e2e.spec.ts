// A private system: the release before plays beside this one, on the schema of this one.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { earlierRelease } from '../earlier-release.js';
import { calling, startEndpoint } from '../endpoint.js';
import { startProcess, until } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

const { commit, lastMigration } = earlierRelease();
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' });

/** Its API and worker, built once for all checkouts of this machine with this page and these packages. */
function builtEarlier(): string {
  const folder = join(tmpdir(), `toolmark-release-${commit}`);
  if (existsSync(folder)) return folder;
  const fresh = mkdtempSync(join(tmpdir(), 'toolmark-release-'));
  try {
    execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C ${fresh}`]);
    symlinkSync(resolve('node_modules'), join(fresh, 'node_modules'));
    cpSync('dist/web', join(fresh, 'dist/web'), { recursive: true });
    // As for watching: no bundles, and the page that is there.
    execFileSync(resolve('node_modules/.bin/node'), ['scripts/build.mjs', '--for-watch'], {
      cwd: fresh,
      stdio: 'pipe',
    });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // Another test run may have been faster.
  }
  return folder;
}

/** A run of conversations of three rounds, of which one is stored. */
async function startConversations(client: Client, sql: pg.Pool) {
  const CONVERSATIONS = 4;
  const roundOf = ({ messages }: any): number => messages.filter(({ role }: any) => role === 'assistant').length;
  const host = await startEndpoint((body) =>
    roundOf(body) < 2 ? calling('add', {}) : { role: 'assistant', content: 'Done.' },
  );
  await client.post('/api/providers', { key: 'talks', base_url: host.url, models: [{ id: 'm' }] });
  const add = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } };
  const rule = { effects: [{ op: 'add', path: '/added/-', value: 1 }] };
  const conversation = { state: { added: [] }, tools: { add: [rule] }, goal: { state: { '/added': [1, 1] } } };
  const test_cases = [{ prompt: 'Please add twice.', conversation }];
  const suite_id = await client.importSuite({ name: 'Talks', tools: [add], test_cases } as never);
  const asked = { suite_id, models: ['talks::m'], samples: CONVERSATIONS, cache: 'off' };
  const { eval_id: runId } = (await client.post('/api/tool-eval', asked)).body;
  const isWaitedFor = (): boolean => host.waiting().length === CONVERSATIONS;
  await until(isWaitedFor, { what: 'the first requests' });
  host.answer();
  await until(isWaitedFor, { what: 'the second requests' });
  const rows = async (text: string): Promise<object[]> => (await sql.query(text, [runId])).rows;
  const places = 'SELECT worker, token::int, crashes, lost FROM in_flight WHERE run_id = $1 ORDER BY item';
  const before = await rows(places);
  return {
    ...{ runId, isWaitedFor },
    /** As if the lease of their worker had expired long ago. */
    leaveToOthers: () =>
      rows(`UPDATE in_flight SET lease_until = now() - interval '1 s', queued_at = '-infinity' WHERE run_id = $1`),
    async expectUntouched(): Promise<void> {
      expect(await rows(places)).toEqual(before);
      expect(host.asked).toHaveLength(2 * CONVERSATIONS);
    },
    async expectWholeAfter(end: () => Promise<unknown>): Promise<void> {
      host.open();
      await end();
      expect(host.asked).toHaveLength(4 * CONVERSATIONS);
      const of = 'count(*)::int AS n, bool_and(passed) AS passed, sum(attempts)::int AS requests';
      const requests = 3 * CONVERSATIONS;
      expect(await rows(`SELECT ${of} FROM result WHERE run_id = $1`)).toEqual([
        { n: CONVERSATIONS, passed: true, requests },
      ]);
      expect(await rows('SELECT requests FROM target WHERE run_id = $1')).toEqual([{ requests }]);
    },
  };
}

it('the checkout has the release before, and its last migration is the one that test/earlier-release.txt names', () => {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
  } catch {
    throw new Error(
      `This checkout lacks the release before, ${commit}. Fetch it: git fetch --depth 1 origin ${commit}`,
    );
  }
  const migrations = git('ls-tree', '--name-only', commit, 'prisma/migrations/').match(/\d{14}_\w+/g);
  expect(migrations?.at(-1)).toBe(lastMigration);
});

it('API and worker of the release before play beside new ones, hear of each other, and can replace them', async () => {
  const from = builtEarlier();
  const databaseUrl = (await createDatabase()).url;
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: (await createRedis()).url };
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const [simulator, oldApi, newApi, oldWorker, newWorker] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env, { from }),
    startProcess('api', env),
    startProcess('worker', env, { from }),
    startProcess('worker', env),
  ]);
  const [old, fresh] = [clientOf(oldApi.url), clientOf(newApi.url)];
  await old.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 8 },
    models: [{ id: 'slow-100' }],
  });
  const suite_id = await old.importSuite(weatherSuite(2));
  const SAMPLES = 80;
  const ITEMS = 2 * SAMPLES;
  const submit = async (client: typeof old) => {
    const asked = { suite_id, models: ['sim::slow-100'], samples: SAMPLES, cache: 'off' };
    const { status, body } = await client.post('/api/tool-eval', asked);
    expect([status, body]).toEqual([202, expect.objectContaining({ job_id: expect.any(String) })]);
    return body as { job_id: string; eval_id: string };
  };
  /** Every item was settled once, and was asked for once. */
  const expectExact = async (runs: string[]) => {
    const { rows } = await sql.query(
      `SELECT r.id, r.status, (SELECT count(*)::int FROM result WHERE run_id = r.id) AS results,
         (SELECT count(*)::int FROM (SELECT DISTINCT target, case_position, sample FROM result WHERE run_id = r.id) d)
           AS items
       FROM run r WHERE r.id = ANY ($1)`,
      [runs],
    );
    expect(rows.map(({ status, results, items }) => ({ status, results, items }))).toEqual(
      runs.map(() => ({ status: 'completed', results: ITEMS, items: ITEMS })),
    );
  };
  const workersOf = async (run: string): Promise<number> =>
    (await sql.query('SELECT count(DISTINCT worker)::int AS n FROM in_flight WHERE run_id = $1', [run])).rows[0].n;

  // What the old API accepts, both releases play. What the new one accepts may be left to new workers.
  const [first, second] = [await submit(old), await submit(fresh)];
  await until(async () => (await workersOf(first.eval_id)) === 2, { what: 'both releases to have items of a run' });
  // Each API answers for what the other accepted.
  await Promise.all([untilRunCompleted(fresh, first.eval_id), untilRunCompleted(old, second.eval_id)]);
  await expectExact([first.eval_id, second.eval_id]);

  // A cancel through either API reaches the workers of both.
  for (const by of [old, fresh]) {
    const cancelled = await submit(old);
    await until(async () => (await workersOf(cancelled.eval_id)) === 2, { what: 'both releases to have items again' });
    expect((await by.post(`/api/jobs/${cancelled.job_id}/cancel`)).status).toBe(202);
    await until(async () => (await workersOf(cancelled.eval_id)) === 0, { what: 'both to have let go of it' });
  }

  // Each API knows the users, tokens and sessions of the other, but for what the release before would not keep to.
  const make = async (by: typeof old, input: object): Promise<string> =>
    (await by.post('/api/tokens', { name: 'token', role: 'viewer', ...input })).body.token;
  const whoIs = async (token: string) =>
    Promise.all(
      [oldApi, newApi].map(async ({ url }) => (await clientOf(url, token).get('/api/me')).body.user?.name ?? 'nobody'),
    );
  expect(await whoIs(await make(old, { user: 'grace' }))).toEqual(['grace', 'grace']);
  expect(await whoIs(await make(fresh, { user: 'ada' }))).toEqual(['ada', 'ada']);
  for (const limit of [{ reads_only: true }, { suite_ids: [suite_id] }, { monthly_cap_usd: 5 }]) {
    const token = await make(fresh, { user: 'ada', ...limit });
    expect(await whoIs(token)).toEqual(['nobody', 'ada']);
    expect(await whoIs(`limited ${token}`)).toEqual(['nobody', 'nobody']);
  }
  // It knows the roles of tokens, and not those of members.
  const lowered = await make(fresh, { user: 'linus', role: 'owner' });
  expect(await whoIs(lowered)).toEqual(['linus', 'linus']);
  const { items } = (await fresh.get('/api/users')).body;
  const { id } = items.find(({ name }: { name: string }) => name === 'linus');
  expect((await fresh.patch(`/api/users/${id}`, { role: 'viewer' })).status).toBe(200);
  await until(async () => String(await whoIs(lowered)) === 'nobody,linus', { what: 'the lowered owner to be hidden' });
  const people = await sql.query(
    `SELECT u.name, p.name AS person, p.kind FROM users u LEFT JOIN person p ON p.id = u.person_id ORDER BY u.name`,
  );
  expect(people.rows).toEqual(
    ['ada', 'grace', 'linus', 'owner'].map((name) => ({ name, person: name, kind: 'person' })),
  );

  const talks = await startConversations(fresh, sql);

  // Back to the release before, in the middle of a run.
  const last = await submit(old);
  await until(async () => (await workersOf(last.eval_id)) === 2, { what: 'both to have items of the last run' });
  await newWorker.kill('SIGKILL');
  await talks.leaveToOthers();
  await newApi.stop();
  await untilRunCompleted(old, last.eval_id);
  await expectExact([last.eval_id]);

  // It leaves conversations to a worker that knows them, which goes on where they were.
  await talks.expectUntouched();
  expect((await old.get(`/api/tool-eval/history/${talks.runId}`)).body).toMatchObject({ status: 'running' });
  const newest = await startProcess('worker', env);
  await until(() => talks.isWaitedFor(), { what: 'the conversations to go on', timeoutMs: 30_000 });
  await talks.expectWholeAfter(() => untilRunCompleted(old, talks.runId));
  expect([oldWorker.logs(), oldApi.logs()].join('\n')).not.toMatch(/"level":[56]0/);
  await newest.stop();
  await Promise.all([oldWorker.stop(), sql.end()]);
}, 240_000);
