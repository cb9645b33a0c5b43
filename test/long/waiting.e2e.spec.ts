import { weatherSuite, type Client } from '../client.js';
import { startEndpoint, type Refusal } from '../endpoint.js';
import { createTeamIn, joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
beforeAll(async () => {
  system = await joinSystem();
}, 150_000);

/** A host that refuses a model until the test ends that. */
async function startHost() {
  const refusals = new Map<string, Refusal>();
  const endpoint = await startEndpoint(undefined, ({ model }) => refusals.get(model));
  endpoint.open();
  const asked = (model: string): number => endpoint.asked.filter(({ body }) => body.model === model).length;
  return { url: endpoint.url, refusals, asked };
}

const add = async (client: Client, key: string, url: string, more: object = {}) =>
  expect(
    await client.post('/api/providers', {
      key,
      base_url: url,
      api_key: 'sk-shared-0123456789',
      limits: { max_concurrency: 4 },
      models: ['poor', 'rich'],
      ...more,
    }),
  ).toMatchObject({ status: 201 });
async function submit(client: Client, models: string[], cases: number): Promise<{ eval_id: string; job_id: string }> {
  const suite_id = await client.importSuite(weatherSuite(cases));
  return (await client.post('/api/tool-eval', { suite_id, models, cache: 'off' })).body;
}
const run = async (client: Client, id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body;
const detailOf = async (client: Client, id: string): Promise<string | null> =>
  (await client.get(`/api/jobs/${id}`)).body.detail;
const timeComes = (teamId: string) =>
  system.sql.query(
    `UPDATE resting_model SET until = now() WHERE provider_id IN (SELECT id FROM provider WHERE team_id = $1)`,
    [teamId],
  );
const TRIED = {
  case: { prompt: 'How is the weather in Paris?', expected_tool: null },
  tools: weatherSuite(1).tools,
};
const daily = (headers: Record<string, string>): Refusal => ({
  status: 429,
  headers,
  body: { error: { message: 'You have used up what you may ask today.' } },
});

it('a model that its host refuses for hours rests until then, and its run ends with every item scored', async () => {
  const { client, teamId } = system;
  const host = await startHost();
  const other = await createTeamIn(system);
  await add(client, 'host', host.url);
  await add(other.client, 'host', host.url, { api_key: 'sk-other-0123456789' });
  const midnight = Math.ceil(Date.now() / 86_400_000 + 1) * 86_400_000;
  host.refusals.set('poor', daily({ 'retry-after': String(midnight / 1000) }));
  const { eval_id, job_id } = await submit(client, ['host::poor', 'host::rich'], 20);
  const shown = new Date(midnight).toISOString().slice(0, 16).replace('T', ' ');
  await until(async () => (await detailOf(client, job_id)) !== null, { what: 'the job to say what it waits for' });
  expect(await detailOf(client, job_id)).toBe(
    `Waiting for host::poor until ${shown} UTC: ${new URL(host.url).host} answered 429: ` +
      'You have used up what you may ask today.',
  );
  await until(async () => (await run(client, eval_id)).counts.settled === 20, { what: 'the other model to end' });
  // Every claimed item may have sent one request.
  const refused = host.asked('poor');
  expect(refused).toBeLessThanOrEqual(10);

  host.refusals.delete('poor');
  const beside = await submit(other.client, ['host::poor'], 10);
  expect((await untilRunCompleted(other.client, beside.eval_id)).counts).toMatchObject({ settled: 10, errored: 0 });
  const later = await submit(client, ['host::poor'], 5);
  await until(async () => /host::poor until/.test((await detailOf(client, later.job_id)) ?? ''), {
    what: 'a later run to wait as well',
  });
  expect(host.asked('poor')).toBe(refused + 10);

  host.refusals.set('poor', daily({ 'retry-after': '7200' }));
  await timeComes(teamId);
  await until(async () => host.asked('poor') === refused + 11, { what: 'one request that finds out' });
  const isOtherTime = (detail: string | null) => detail?.includes('host::poor until') && !detail.includes(shown);
  await until(async () => isOtherTime(await detailOf(client, job_id)), { what: 'another time' });
  host.refusals.delete('poor');
  await timeComes(teamId);
  for (const [id, count] of [
    [eval_id, 40],
    [later.eval_id, 5],
  ] as const)
    expect((await untilRunCompleted(client, id)).counts).toMatchObject({ settled: count, errored: 0, passed: count });
  expect(host.asked('poor')).toBe(refused + 10 + 1 + 20 + 5);
}, 120_000);

it('a rest ends when the provider gets another key, or passes a test', async () => {
  const { client } = system;
  const endRest = {
    keyed: () => client.patch('/api/providers/keyed', { api_key: 'sk-better-0123456789' }),
    tested: () => client.post('/api/providers/tested/test'),
  };
  const restAndEnd = async (key: keyof typeof endRest) => {
    const host = await startHost();
    await add(client, key, host.url);
    host.refusals.set('poor', daily({ 'retry-after': '7200' }));
    const { eval_id, job_id } = await submit(client, [`${key}::poor`], 6);
    await until(async () => (await detailOf(client, job_id))?.includes(`${key}::poor until`), {
      what: 'the model to rest',
    });
    const tried = await client.post('/api/tool-eval/try', { ...TRIED, models: [`${key}::poor`] });
    expect(JSON.stringify(tried.body)).toMatch(/wants no requests until .* UTC: .*answered 429: You have used up/);
    host.refusals.delete('poor');
    expect((await endRest[key]()).status).toBe(200);
    expect((await untilRunCompleted(client, eval_id)).counts).toMatchObject({ settled: 6, errored: 0 });
    expect(await detailOf(client, job_id)).toBeNull();
  };
  await Promise.all([restAndEnd('keyed'), restAndEnd('tested')]);
}, 120_000);

it('a pause of minutes names the provider that asked for it, even for others that share its limits', async () => {
  const { client } = system;
  const host = await startHost();
  await add(client, 'first', host.url);
  await add(client, 'second', host.url);
  host.refusals.set('poor', { ...daily({ 'retry-after-ms': '300000' }) });
  const { job_id } = await submit(client, ['second::poor'], 1);
  const { job_id: waiting } = await submit(client, ['first::rich'], 100);
  for (const id of [job_id, waiting])
    await until(
      async () =>
        /until .* UTC: second::poor asked for a pause: .* answered 429: You have/.test(
          (await detailOf(client, id)) ?? '',
        ),
      {
        what: 'the job to say who asked',
      },
    );
}, 60_000);

it('a model that its host does not have costs a few requests, and a resume requests the other items', async () => {
  const { client } = system;
  const host = await startHost();
  await add(client, 'lacking', host.url);
  host.refusals.set('poor', {
    status: 404,
    body: { error: { message: 'The model `poor` does not exist.', code: 'model_not_found' } },
  });
  const { eval_id, job_id } = await submit(client, ['lacking::poor', 'lacking::rich'], 60);
  expect((await untilRunCompleted(client, eval_id)).counts).toMatchObject({ settled: 120, errored: 60 });
  expect(host.asked('poor')).toBeLessThanOrEqual(12);
  expect((await run(client, eval_id)).warnings.map(({ message }: any) => message)).toEqual([
    expect.stringMatching(/^lacking::poor does not exist at 127.0.0.1:\d+: \d\d of 60 items were not asked\. Correct/),
  ]);
  expect(await detailOf(client, job_id)).toBeNull();
  host.refusals.delete('poor');
  expect((await client.post(`/api/tool-eval/history/${eval_id}/resume`)).status).toBe(202);
  expect((await untilRunCompleted(client, eval_id)).counts).toMatchObject({ settled: 120, errored: 0 });
}, 120_000);

it('a change that waits for a lock is given up within seconds, with a message', async () => {
  const suiteId = await system.client.importSuite(weatherSuite(1));
  const rename = () => system.client.patch(`/api/tool-suites/${suiteId}`, { name: 'new' });
  const holder = await system.sql.connect();
  await holder.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`);
  await holder.query('SELECT 1 FROM suite WHERE id = $1 FOR UPDATE', [suiteId]);
  const { status, body, headers } = await rename();
  await holder.query('ROLLBACK');
  holder.release();
  expect([status, headers.get('retry-after'), body.detail]).toEqual([
    503,
    '5',
    'Other requests are changing the same things at the moment. Try again in a few seconds.',
  ]);
  expect((await rename()).status).toBe(200);
});
