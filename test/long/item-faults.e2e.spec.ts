// A private system: an item kills its worker.
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { calling, startEndpoint } from '../endpoint.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

let worker: RunningProcess;
let client: Client;
let sql: pg.Pool;

beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const [api, started] = await Promise.all([
    startProcess('api', env),
    startProcess('worker', { ...env, LOG_LEVEL: 'warn' }, { preload: 'test/kill-quarantine.mjs' }),
  ]);
  [client, worker] = [clientOf(api.url), started];
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
}, 150_000);
afterAll(() => sql.end());

/** A run of these prompts, whose items all wait at a separate endpoint. Each reply costs a dollar. */
async function asking(
  key: string,
  prompts: string[],
  of: { conversation?: object; reply?: (body: any) => object } = {},
) {
  const endpoint = await startEndpoint(of.reply);
  await client.post('/api/providers', {
    key,
    base_url: endpoint.url,
    api_key: `sk-${key}-0123456789`,
    limits: { max_concurrency: prompts.length },
    models: [{ id: 'm', input_cost_per_mtok: 1, output_cost_per_mtok: 1 }],
  });
  const { tools, test_cases } = weatherSuite(prompts.length);
  const cases = prompts.map((prompt, n) =>
    of.conversation ? { name: prompt, prompt, conversation: of.conversation } : { ...test_cases[n]!, prompt },
  );
  const suite_id = await client.importSuite({ name: key, tools, test_cases: cases });
  const id = (await client.post('/api/tool-eval', { suite_id, models: [`${key}::m`], cache: 'off' })).body
    .eval_id as string;
  await until(() => endpoint.waiting().length === prompts.length, { what: 'all items to be asked' });
  return { endpoint, id };
}
const results = async (id: string): Promise<any[]> =>
  (await client.get(`/api/tool-eval/history/${id}/results`)).body.items.sort((a: any, b: any) =>
    a.prompt < b.prompt ? -1 : 1,
  );

it('an item that crashed two processes is played in its own, whose crash harms no worker or item', async () => {
  const { endpoint, id } = await asking('suspect', ['a deadly one', 'b', 'c']);
  await sql.query(
    `UPDATE in_flight SET crashes = 2, lost = 2, token = nextval('delivery_token'), worker = NULL, lease_until =
      NULL, queued_at = '-infinity' WHERE run_id = $1`,
    [id],
  );
  await until(() => endpoint.asked.slice(0, 3).every(({ response }) => response.destroyed), {
    what: 'the worker to give up what was taken from it',
  });
  endpoint.open();
  await untilRunCompleted(client, id);
  expect((await results(id)).map(({ prompt, outcome, error }) => [prompt, outcome, error])).toEqual([
    ['a deadly one', 'errored', { kind: 'crashed', message: expect.stringMatching(/died or froze 3 times/) }],
    ['b', 'scored', null],
    ['c', 'scored', null],
  ]);
  expect(
    endpoint.asked
      .slice(3)
      .map(({ body }) => body.messages[0].content)
      .sort(),
  ).toEqual(['b', 'c']);
  expect(worker.logs().match(/in a process of its own/g)).toHaveLength(3);
  expect((await fetch(`${worker.url}/healthz`)).status).toBe(200);
}, 120_000);

it('a conversation that kills its processes keeps its rounds and what they cost, and others go on', async () => {
  const { endpoint, id } = await asking('dying', ['b', 'so deadly'], {
    conversation: { goal: { calls: [{ tool: 'get_weather' }] } },
    reply: ({ messages }) =>
      messages.length < 3 ? calling('get_weather', { city: 'Paris' }) : { role: 'assistant', content: 'Sunny.' },
  });
  endpoint.answer();
  await until(() => endpoint.asked.length === 4 && endpoint.waiting().length === 2, { what: 'the second requests' });
  await sql.query(
    `UPDATE in_flight SET crashes = 2, lost = 2, token = nextval('delivery_token'), worker = NULL, lease_until =
      NULL, queued_at = '-infinity' WHERE run_id = $1`,
    [id],
  );
  await until(() => endpoint.waiting().length === 0, { what: 'the worker to give them up' });
  endpoint.open();
  const { counts } = await untilRunCompleted(client, id);
  expect(counts).toMatchObject({ settled: 2, errored: 1, passed: 1 });
  const found = await results(id);
  expect(found).toMatchObject([
    { prompt: 'b', outcome: 'scored', attempts: 2, cost_usd: 2 },
    { prompt: 'so deadly', outcome: 'errored', error: { kind: 'crashed' }, attempts: 1, cost_usd: 1 },
  ]);
  const { body } = await client.get(`/api/tool-eval/history/${id}/results/${found[1].id}`);
  expect(body.exchange.conversation).toMatchObject([{ calls: [{ name: 'get_weather' }] }]);
  expect((await sql.query('SELECT requests, cost_usd FROM target WHERE run_id = $1', [id])).rows).toEqual([
    { requests: 3, cost_usd: 3 },
  ]);
  expect((await fetch(`${worker.url}/healthz`)).status).toBe(200);
}, 120_000);

it('an item that Postgres refuses is errored with its cost, and the rest of its batch is stored', async () => {
  const { endpoint, id } = await asking('refused', ['a', 'b', 'c', 'd', 'e', 'f']);
  await sql.query(`
    CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.case_position = 2 AND NEW.outcome = 'scored' THEN RAISE 'not this one' USING ERRCODE = '22000';
        END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse_one BEFORE INSERT ON result FOR EACH ROW EXECUTE FUNCTION refuse_one()`);
  // While one settles, the others accumulate.
  const holder = await sql.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [id]);
  endpoint.answer(1);
  await until(
    async () =>
      (
        await sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query ILIKE '%settle_items%'`,
        )
      ).rowCount,
    { what: 'the first to be settled' },
  );
  endpoint.open();
  const answered = /^toolmark_model_requests_total\{.*outcome="answered".*\} (\d+)$/gm;
  await until(
    async () =>
      [...(await (await fetch(`${worker.url}/metrics`)).text()).matchAll(answered)].some(
        ([, count]) => Number(count) === 6,
      ),
    { what: 'all answers to have come' },
  );
  await holder.query('ROLLBACK');
  holder.release();
  const { counts } = await untilRunCompleted(client, id);
  expect(counts).toMatchObject({ settled: 6, errored: 1 });
  expect(
    (await results(id)).map(({ prompt, outcome, error, attempts, cost_usd }) => [
      prompt,
      outcome,
      error?.kind,
      attempts,
      cost_usd,
    ]),
  ).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((prompt) => [
      prompt,
      ...(prompt === 'c' ? ['errored', 'internal'] : ['scored', undefined]),
      1,
      1,
    ]),
  );
  // Five dollars are for the items of the tests before.
  expect((await sql.query(`SELECT sum(cost_usd)::float8 AS usd FROM spending`)).rows).toEqual([{ usd: 11 }]);
  expect(endpoint.asked).toHaveLength(6);
  await sql.query('DROP FUNCTION refuse_one CASCADE');
}, 120_000);
