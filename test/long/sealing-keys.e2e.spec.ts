// A private system: its processes are replaced one by one, with other sealing keys.
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { calling } from '../endpoint.js';
import { sendJson, startHttpServer } from '../http-server.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis, freePort } from '../services.js';

const [OLD, NEW] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
/** A worker seals again when it starts, unless another one is at it, and every minute. */
const UNTIL_NEXT_TURN = 90_000;
const API_KEY = 'sk-rotation-0123456789';

/** Answers after a while, or for hours not at all. @returns the keys that it was asked with */
async function startModels(): Promise<{ url: string; keys: Set<string | undefined> }> {
  const keys = new Set<string | undefined>();
  const { url } = await startHttpServer(({ headers }, body, response) => {
    keys.add(headers.authorization);
    if (JSON.parse(body).model === 'used-up')
      return void response.writeHead(429, { 'retry-after': '7200' }).end('{"error":{"message":"Come tomorrow."}}');
    const message = calling('get_weather', { city: 'Paris' });
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    setTimeout(() => sendJson(response, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }), 500);
  });
  return { url: `${url}/v1`, keys };
}

it('the sealing key is rotated while a run goes on: nothing fails, and lanes and rests stay', async () => {
  const [database, redis, models] = [await createDatabase(), await createRedis(), await startModels()];
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  const ports = { api: [String(await freePort()), String(await freePort())] };
  const start = (name: 'api' | 'worker', keys: Record<string, string>, port?: string) =>
    startProcess(name, {
      ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'info' },
      ...{ TOOLMARK_SEALING_KEY: '', ...keys, ...(port && { PORT: port }) },
    });
  let client: Client;
  let turn = 0;
  let running: { api: RunningProcess; workers: RunningProcess[] };
  const startApi = async (keys: Record<string, string>): Promise<RunningProcess> => {
    const api = await start('api', keys, ports.api[turn++ % 2]);
    client = clientOf(api.url);
    return api;
  };
  /** A new process is ready before the old one stops, so processes with both settings work side by side. */
  const replaceAll = async (keys: Record<string, string>): Promise<void> => {
    const before = running;
    const [api, first] = await Promise.all([startApi(keys), start('worker', keys)]);
    const [second] = await Promise.all([start('worker', keys), before.api.stop(), before.workers[0]!.stop()]);
    await before.workers[1]!.stop();
    running = { api, workers: [first, second] };
  };
  const before = { TOOLMARK_SEALING_KEY: OLD };
  const [api, ...workers] = await Promise.all([startApi(before), start('worker', before), start('worker', before)]);
  running = { api, workers };

  const provider = (key: string, id: string) =>
    client.post('/api/providers', {
      key,
      base_url: models.url,
      api_key: API_KEY,
      limits: { max_concurrency: 4 }, // The run lasts longer than the rotation.
      models: [{ id }, { id: `${id}-alone`, limits: { max_concurrency: 1 } }],
    });
  const fixed = async () => ({
    lanes: (await sql.query('SELECT id, name, fingerprint FROM lane ORDER BY id')).rows,
    access: (await sql.query('SELECT key, lane_id, access_version, updated_at FROM provider ORDER BY key')).rows,
    rests: (await sql.query('SELECT provider_id, model_id, until, why FROM resting_model')).rows,
  });
  const submit = async (model: string, cases: number) => {
    const suite_id = await client.importSuite(weatherSuite(cases));
    return (await client.post('/api/tool-eval', { suite_id, models: [model], cache: 'off' })).body as {
      eval_id: string;
      job_id: string;
    };
  };
  const counts = async (id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body.counts;
  const sealing = async () => (await client.get('/api/system')).body.sealing;
  const sealedWith = async (): Promise<string> =>
    (await sql.query('SELECT string_agg(DISTINCT left(sealed_key, 11), $1) AS sealed FROM provider', [' '])).rows[0]
      .sealed;

  await provider('fast', 'prompt');
  await provider('used', 'used-up');
  const resting = await submit('used::used-up', 3);
  await until(async () => (await fixed()).rests.length === 1, { what: 'the model to rest' });
  const run = await submit('fast::prompt', 2000);
  const untilMoreSettled = async (more = 10): Promise<void> => {
    const { settled } = await counts(run.eval_id);
    await until(async () => (await counts(run.eval_id)).settled >= settled + more, { what: 'more results' });
  };
  await untilMoreSettled();
  const was = await fixed();
  expect(await sealedWith()).toMatch(/^v1\./);
  const [
    {
      keys: [oldId],
    },
  ] = [await sealing()];
  expect(await sealing()).toEqual({ keys: [oldId], left: 0, missing: [] });

  await replaceAll({ TOOLMARK_SEALING_KEYS: `${OLD},${NEW}` });
  await until(async () => (await sealedWith()) === `v2.${oldId}`, {
    what: 'all to name their key',
    timeoutMs: UNTIL_NEXT_TURN,
  });
  await untilMoreSettled();
  await replaceAll({ TOOLMARK_SEALING_KEYS: `${NEW}, ${OLD}` });
  await until(async () => (await sealing()).left === 0, { what: 'nothing to be left', timeoutMs: UNTIL_NEXT_TURN });
  const [newId] = (await sealing()).keys;
  expect([newId === oldId, await sealedWith()]).toEqual([false, `v2.${newId}`]);
  await replaceAll({ TOOLMARK_SEALING_KEYS: NEW });
  expect(await sealing()).toEqual({ keys: [newId], left: 0, missing: [] });
  await untilMoreSettled(20);

  expect(await fixed()).toEqual(was);
  expect(await counts(run.eval_id)).toMatchObject({ errored: 0, total: 2000 });
  expect(await counts(resting.eval_id)).toMatchObject({ settled: 0, errored: 0 });
  expect(models.keys).toEqual(new Set([`Bearer ${API_KEY}`]));
  // The same key at the same origin has the same lane.
  expect((await provider('third', 'prompt')).status).toBe(201);
  const { rows } = await sql.query(`SELECT DISTINCT lane_id FROM provider`);
  expect(rows).toHaveLength(1);
  for (const { job_id } of [run, resting]) await client!.post(`/api/jobs/${job_id}/cancel`);
  await sql.end();
}, 300_000);
