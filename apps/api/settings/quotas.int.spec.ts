import { QUOTA_NAMES, type QuotaName } from '#lib/contracts/values/quotas';
import { inTransaction } from '#lib/db/connection/pool';
import { keepQuotas } from '#lib/db/catalogue/quotas';
import { followRules } from '#lib/db/catalogue/sign-in';
import { newId } from '#lib/runtime/ids';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Answer, type Client } from '../../../test/client.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let client: Client;
let suiteId: string;
let oneCase: string;
let made = 0;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await addUnreachableModels(client);
  [suiteId, oneCase] = [await client.importSuite(weatherSuite(1)), await client.importSuite(weatherSuite(1))];
});

const path = (): string => `/api/settings/quotas?team_id=${api.teamId}`;
const setQuotas = (quotas: Partial<Record<QuotaName, number | null>>): Promise<Answer> =>
  api.operator.put(path(), { quotas });
const usedOf = async (name: QuotaName): Promise<number> =>
  (await client.get('/api/settings/quotas')).body.quotas.find((quota: { name: string }) => quota.name === name).used;

const testCase = () => ({ prompt: 'x'.repeat(1000), expected_tool: 'get_weather' });
const provider = (more: object) => ({ key: `p${made++}`, base_url: 'http://127.0.0.1:9/v1', ...more });
const model = () => ({ id: `m${made++}`, limits: { max_concurrency: 2 } });
const submitBy = (by: Client) => by.post('/api/tool-eval', { suite_id: oneCase, models: ['sim::a'] });
const submit = () => submitBy(client);
const accept = async (): Promise<Answer> => {
  const { body } = await client.post('/api/invitations', { role: 'viewer' });
  const invitation = body.url.split('#invitation=')[1];
  return clientOf(api.url, 'none').post('/api/invitations/accept', { invitation, name: `guest ${made++}` });
};

/** Ways to have one more, and how much room is for one of them alone. */
const WAYS: [QuotaName, room: number, ...ways: (() => Promise<Answer>)[]][] = [
  [
    'suites',
    1,
    () => client.post('/api/tool-suites', { name: 'new', tools: weatherSuite(0).tools }),
    () => client.post('/api/tool-eval/import', weatherSuite(1)),
  ],
  [
    'cases',
    1,
    () => client.post(`/api/tool-suites/${suiteId}/cases`, testCase()),
    () => client.post('/api/tool-eval/import', weatherSuite(1)),
  ],
  ['suite_bytes', 1900, () => client.post(`/api/tool-suites/${suiteId}/cases`, testCase())],
  ['providers', 1, () => client.post('/api/providers', provider({ models: [] }))],
  ['lanes', 1, () => client.post('/api/providers', provider({ models: [model()] }))],
  [
    'users',
    1,
    () => client.post('/api/users', { name: `account ${made++}`, role: 'viewer' }),
    () => client.post('/api/tokens', { name: 't', role: 'viewer', user: `user ${made++}` }),
    accept,
  ],
  [
    'tokens',
    1,
    () => client.post('/api/tokens', { name: 't', role: 'viewer' }),
    () => client.post('/api/me/tokens', { name: 't', role: 'viewer' }),
  ],
  ['pending_jobs', 1, submit],
  ['items_a_day', 1, submit],
];

it.each(WAYS)('%s: as many requests at once as there are make no more than the quota', async (name, room, ...ways) => {
  // Otherwise jobs would start.
  if (name === 'pending_jobs') await setQuotas({ running_jobs: 0 });
  const before = await usedOf(name);
  const limit = before + room;
  expect((await setQuotas({ [name]: limit })).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ways[n % ways.length]!()));
  const refused = answers.filter(({ status }) => status >= 300);
  expect(refused.length).toBe(19);
  const used = await usedOf(name);
  expect(used).toBeGreaterThan(before);
  for (const { status, body } of refused)
    expect({ status, body }).toMatchObject({
      status: 409,
      body: {
        code: 'quota_reached',
        params: { quota: name, limit, used, asked: expect.any(Number) },
        detail: expect.stringMatching(
          /^The quota of the team for .* is reached: .* An owner of the team "default" can/,
        ),
      },
    });
  // Below what there is nothing is lost, and what grows is refused in each way.
  await setQuotas({ [name]: 0 });
  for (const way of ways) expect((await way()).body.code).toBe('quota_reached');
  expect(await usedOf(name)).toBe(used);
  await setQuotas({ [name]: null, running_jobs: null });
  expect((await ways[0]!()).status).toBeLessThan(300);
});

it('what there is can be read, changed without growing, and deleted below a quota', async () => {
  const kept = await client.importSuite(weatherSuite(2));
  const { body: answer } = await setQuotas(Object.fromEntries(QUOTA_NAMES.map((name) => [name, 0])));
  expect(answer.quotas.map(({ name, limit, is_set: isSet }: any) => [name, limit, isSet])).toEqual(
    QUOTA_NAMES.map((name) => [name, 0, true]),
  );
  const cases = (await client.get(`/api/tool-suites/${kept}/cases`)).body.items;
  const shorter = { prompt: 'x', expected_tool: 'get_weather' };
  for (const { status } of [
    await client.patch(`/api/tool-suites/${kept}`, { name: 'other' }),
    await client.put(`/api/tool-suites/${kept}/cases/${cases[0].id}`, shorter),
    await client.patch('/api/providers/sim', { name: 'Renamed' }),
    await client.delete(`/api/tool-suites/${kept}/cases/${cases[1].id}`),
    await client.delete(`/api/tool-suites/${kept}`),
  ])
    expect(status).toBeLessThan(300);
  await setQuotas(Object.fromEntries(QUOTA_NAMES.map((name) => [name, null])));
});

it('jobs beyond the running ones of a team wait, in the order in which they came, whoever submits them', async () => {
  await client.put('/api/settings/jobs', { running_jobs_per_user: 100 });
  await setQuotas({ running_jobs: (await usedOf('running_jobs')) + 1 });
  const { body } = await client.post('/api/tokens', { name: 't', role: 'editor', user: 'another' });
  const other = clientOf(api.url, body.token);
  const jobs: string[] = [];
  for (const by of [client, other, client]) jobs.push((await submitBy(by)).body.job_id);
  const statuses = () => Promise.all(jobs.map(async (id) => (await client.get(`/api/jobs/${id}`)).body.status));
  expect(await statuses()).toEqual(['queued', 'pending', 'pending']);
  await setQuotas({ running_jobs: null });
  expect(await statuses()).not.toContain('pending');
});

it('a token and a sign-in of the same name at once wait for each other in one order', async () => {
  const [personId, name] = [newId(), `Grace ${made++}`];
  await api.pool.query(`INSERT INTO person (id, name, issuer, subject) VALUES ($1, $2, 'https://a', $2)`, [
    personId,
    name,
  ]);
  const { body: me } = await client.get('/api/me');
  let follows: Promise<unknown> | undefined;
  await inTransaction(api.pool, async (on) => {
    await on.query('INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3)', [newId(), api.teamId, name]);
    const { rows } = await on.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    follows = inTransaction(api.pool, (other) =>
      followRules(other, { personId, name }, [{ team: me.team.name, role: 'viewer' }]),
    );
    follows.catch(() => {});
    await until(async () => {
      const waiting = await api.pool.query(
        'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid))',
        [rows[0]!.pid],
      );
      return waiting.rowCount === 1;
    });
    await keepQuotas(on, api.teamId, { users: 1 });
  });
  expect(await follows).toEqual([]);
  const { rows } = await api.pool.query('SELECT name FROM users WHERE person_id = $1', [personId]);
  expect(rows).toEqual([{ name: `${name} (2)` }]);
});

it('one member cannot use up the tokens of the team', async () => {
  const { body } = await client.post('/api/tokens', { name: 't', role: 'viewer', user: `hoarder ${made++}` });
  const own = clientOf(api.url, body.token);
  await api.pool.query(
    `INSERT INTO token (id, team_id, user_id, name, role, hash)
     SELECT gen_random_uuid(), team_id, user_id, 't', 'viewer', gen_random_uuid()
     FROM token, generate_series(1, 98) WHERE id = $1`,
    [body.id],
  );
  const make = () => own.post('/api/me/tokens', { name: 'mine', role: 'viewer' });
  const both = await Promise.all([make(), make()]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(both.find(({ status }) => status === 409)!.body.detail).toMatch(/^You have 100 tokens .* Delete some of them/);
  await own.delete(`/api/me/tokens/${both.find(({ status }) => status === 201)!.body.id}`);
  expect((await make()).status).toBe(201);
});

it('recorded replies are refused before they are read, and broken off where they would exceed the quota', async () => {
  await api.pool.query(
    `INSERT INTO team_storage (team_id, bytes) VALUES ($1, 5000) ON CONFLICT (team_id) DO UPDATE SET bytes = 5000`,
    [api.teamId],
  );
  const reply = (sample: number) => ({ case: 'case 0', sample, reply: newId().repeat(500) });
  const record = (replies: object[]) =>
    client.post('/api/tool-eval/recorded', { suite_id: oneCase, target_name: 'agent', replies });
  const left = async () =>
    (
      await api.pool.query(
        `SELECT count(*)::int AS n FROM recording r JOIN suite_version v ON v.id = r.suite_version_id
         WHERE v.suite_id = $1`,
        [oneCase],
      )
    ).rows[0].n;
  await setQuotas({ stored_bytes: 5000 });
  const full = await record([reply(0)]);
  await setQuotas({ stored_bytes: 5050 });
  const broken = await record([reply(0), reply(1)]);
  await setQuotas({ stored_bytes: null });
  for (const { body } of [full, broken])
    expect(body).toMatchObject({ code: 'quota_reached', params: { quota: 'stored_bytes', used: 5000 } });
  expect([full.body.params.asked, broken.body.params.asked > 50, await left()]).toEqual([0, true, 0]);
  expect((await record([reply(0), reply(1)])).status).toBe(202);
});

it('a team that is full takes nobody in by a rule, and keeps whom it has', async () => {
  const personId = newId();
  await api.pool.query(`INSERT INTO person (id, name, issuer, subject) VALUES ($1, 'Ada', 'https://a', 'ada')`, [
    personId,
  ]);
  const { body: me } = await client.get('/api/me');
  const { body: roomy } = await api.anotherTeam();
  const follow = () =>
    inTransaction(api.pool, (on) =>
      followRules(
        on,
        { personId, name: 'Ada' },
        [me.team.name, roomy.name].map((team) => ({ team, role: 'viewer' as const })),
      ),
    );
  const teams = async () =>
    (await api.pool.query('SELECT team_id FROM users WHERE person_id = $1 AND removed_at IS NULL', [personId])).rows
      .length;
  await setQuotas({ users: 0 });
  expect(await follow()).toMatchObject([{ code: 'quota_reached', params: { quota: 'users' } }]);
  expect(await teams()).toBe(1);
  await setQuotas({ users: null });
  expect([await follow(), await teams()]).toEqual([[], 2]);
  await setQuotas({ users: 0 });
  expect([await follow(), await teams()]).toEqual([[], 2]);
  await setQuotas({ users: null });
});

it('the operator sets quotas for one team or for all; others read their own', async () => {
  const all = '/api/settings/quotas?team_id=all';
  expect(await client.put('/api/settings/quotas', { quotas: { suites: 5 } })).toMatchObject({ status: 403 });
  expect(await client.get(all)).toMatchObject({ status: 403 });
  expect(await api.operator.get(`/api/settings/quotas?team_id=${newId()}`)).toMatchObject({ status: 404 });
  expect((await api.operator.put(all, { quotas: { lanes: 499 } })).body).toMatchObject({ team_id: null, team: null });
  const lanes = async (of: Client, at: string) =>
    (await of.get(at)).body.quotas.find(({ name }: { name: string }) => name === 'lanes');
  expect(await lanes(api.operator, all)).toMatchObject({ limit: 499, default: 500, is_set: true, used: null });
  expect(await lanes(client, '/api/settings/quotas')).toMatchObject({ limit: 499, is_set: false });
  await setQuotas({ lanes: 7 });
  await api.operator.put(all, { quotas: { lanes: null } });
  expect(await lanes(api.operator, path())).toMatchObject({ limit: 7, is_set: true });
  await Promise.all([5, 8, 9].map((limit) => setQuotas({ lanes: limit })));
  await setQuotas({ lanes: 6 });
  // Each is in the audit of the operator and in that of the team, and begins where the one before ended.
  for (const ofTeam of [true, false]) {
    const { rows } = await api.pool.query(
      `SELECT changes FROM audit WHERE action = 'settings.quotas' AND subject = $1 AND (team_id::text = $1) = $2
       ORDER BY id DESC LIMIT 4`,
      [api.teamId, ofTeam],
    );
    const changes = rows.map((row) => JSON.parse(row.changes)[0]).reverse();
    expect([changes[0].before, changes.at(-1).after]).toEqual([7, 6]);
    expect(new Set(changes.slice(1).map(({ before }) => before))).toEqual(
      new Set(changes.slice(0, -1).map(({ after }) => after)),
    );
  }
  await setQuotas({ lanes: null });
});
