import { weatherSuite } from '../client.js';
import { calling, startEndpoint } from '../endpoint.js';
import { startProcess } from '../processes.js';
import { freePort } from '../services.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
beforeAll(async () => {
  system = await joinSystem();
}, 150_000);

/** Looks up the destination of a trip before it asks for the weather. */
const endpoint = () =>
  startEndpoint(({ messages }) =>
    /trip/.test(messages.find(({ role }: any) => role === 'user').content) &&
    !messages.some(({ role }: any) => role === 'tool')
      ? calling('get_place', { city: 'Paris' })
      : calling('get_weather', { city: 'Paris' }),
  );

const MODEL = { id: 'instant', input_cost_per_mtok: 1, output_cost_per_mtok: 1 };
let names = 0;
async function provider(baseUrl: string, more: object = {}): Promise<string> {
  const key = `moved-${names++}`;
  const made = await system.client.post('/api/providers', {
    key,
    base_url: baseUrl,
    api_key: `sk-${key}-0123456789`,
    limits: { max_concurrency: 6 },
    models: [MODEL],
    ...more,
  });
  expect(made.status).toBe(201);
  return key;
}
async function submit(key: string, suite: object = weatherSuite(30)): Promise<{ eval_id: string; job_id: string }> {
  const { body } = await system.client.post('/api/tool-eval/import', suite);
  return (
    await system.client.post('/api/tool-eval', { suite_id: body.suite_id, models: [`${key}::instant`], cache: 'off' })
  ).body;
}
const run = async (id: string) => (await system.client.get(`/api/tool-eval/history/${id}`)).body;
const job = async (id: string) => (await system.client.get(`/api/jobs/${id}`)).body;
const results = async (id: string): Promise<any[]> =>
  (await system.client.get(`/api/tool-eval/history/${id}/results?limit=200`)).body.items;
const laneOf = async (key: string): Promise<string> =>
  (await system.sql.query<{ id: string }>('SELECT id FROM lane WHERE name = $1', [key])).rows[0]!.id;
/** The ids of the lanes whose queues a worker has. */
const servedLanes = async ({ url }: { url: string }): Promise<string[]> =>
  [...(await (await fetch(`${url}/metrics`)).text()).matchAll(/^toolmark_worker_slots\{lane="([^"]+)"/gm)].map(
    ([, lane]) => lane!,
  );
const correct = async (key: string, patch: object) =>
  expect((await system.client.patch(`/api/providers/${key}`, patch)).status).toBe(200);
const waitsFor = async (jobId: string, key: string) =>
  expect(
    await until(async () => (await job(jobId)).detail, { what: 'the job to say what it waits for', timeoutMs: 60_000 }),
  ).toMatch(new RegExp(`^Waiting for ${key} since \\d+ \\w+ \\d\\d:\\d\\d UTC: .*refuses connections`));

it('a run at a wrong address continues by itself when the provider is corrected, without an errored item', async () => {
  const key = await provider(`http://127.0.0.1:${await freePort()}/v1`);
  const { eval_id, job_id } = await submit(key);
  await waitsFor(job_id, key);
  await correct(key, { base_url: `${system.simulator.url}/v1`, api_key: 'sk-right-0123456789' });
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ settled: 30, errored: 0 });
  expect((await job(job_id)).detail).toBeNull();
  expect((await system.client.get('/api/lanes')).body.items.filter((lane: any) => lane.name === key)).toMatchObject([
    { providers: [key], now: { breaker: { state: 'closed' } } },
  ]);
}, 120_000);

it('so does a run whose provider restarts at another address, or with another format', async () => {
  const first = await startProcess('simulator');
  const key = await provider(`${first.url}/v1`, { models: [{ ...MODEL, id: 'slow-200:moving' }] });
  const { body } = await system.client.post('/api/tool-eval/import', weatherSuite(80));
  const { eval_id, job_id } = (
    await system.client.post('/api/tool-eval', {
      suite_id: body.suite_id,
      models: [`${key}::slow-200:moving`],
      cache: 'off',
    })
  ).body;
  await until(async () => (await run(eval_id)).counts.settled >= 10, { what: 'the first results' });
  await first.stop();
  const second = await startProcess('simulator');
  await waitsFor(job_id, key);
  await correct(key, { base_url: `${second.url}/anthropic`, api_key: 'sk-right-0123456789', kind: 'anthropic' });
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ settled: 80, errored: 0 });
}, 150_000);

it('so does a run that a gateway refuses for hours, when the provider gets another header', async () => {
  const header = (value: string) => ({ headers: [{ name: 'X-Team', kind: 'routing', value }] });
  const key = await provider(`${system.simulator.url}/gateway/429/x-team=blue,!authorization/v1`, {
    api_key: null,
    ...header('red'),
  });
  const { eval_id, job_id } = await submit(key);
  const detail = await until(async () => (await job(job_id)).detail, { what: 'the job to say what it waits for' });
  expect(detail).toMatch(new RegExp(`^Waiting for ${key}::instant until .*The gateway does not know the x-team "red"`));
  const lane = await laneOf(key);
  await correct(key, header('blue'));
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ settled: 30, errored: 0 });
  expect((await job(job_id)).detail).toBeNull();
  const { rows } = await system.sql.query(
    'SELECT r.worker_level, t.lane_id FROM run r JOIN target t ON t.run_id = r.id WHERE r.id = $1',
    [eval_id],
  );
  expect(rows).toEqual([{ worker_level: 8, lane_id: expect.not.stringMatching(lane) }]);
}, 120_000);

it('an item that a gateway refuses names the headers, and a resumed run sends those given since', async () => {
  const key = await provider(`${system.simulator.url}/gateway/403/x-client-secret=right-0123456789/v1`, {
    headers: [{ name: 'X-Client-Secret', value: 'wrong-0123456789' }],
  });
  const { eval_id } = await submit(key, weatherSuite(2));
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ errored: 2 });
  expect((await results(eval_id))[0].error).toEqual({
    kind: 'auth',
    message: expect.stringMatching(
      /refused the key or the headers \(403\): The gateway does not know the x-client-secret "\[hidden\]"\. Check/,
    ),
  });
  await correct(key, { headers: [{ name: 'X-Client-Secret', value: 'right-0123456789' }] });
  expect((await system.client.post(`/api/tool-eval/history/${eval_id}/resume`)).status).toBe(202);
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ settled: 2, errored: 0 });
}, 120_000);

it('requests in flight end at the old address and count; later ones use the new one, none twice', async () => {
  const [before, after] = [await endpoint(), await endpoint()];
  const key = await provider(before.url);
  const { eval_id } = await submit(key);
  await until(() => before.asked.length === 6, { what: 'requests at the old address' });
  await correct(key, { base_url: after.url, api_key: 'sk-another-0123456789' });
  after.open();
  await until(async () => (await run(eval_id)).counts.settled === 24, {
    what: 'all others to be asked at the new one',
  });
  before.open();
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({
    settled: 30,
    errored: 0,
    passed: 30,
  });
  expect([before.asked.length, after.asked.length]).toEqual([6, 24]);
  expect(new Set(after.asked.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer sk-another-0123456789']),
  );
  expect((await system.sql.query('SELECT 1 FROM in_flight WHERE run_id = $1', [eval_id])).rowCount).toBe(0);
}, 120_000);

it('a chain in its second round continues there, and keeps its first round', async () => {
  const [before, after] = [await endpoint(), await endpoint()];
  const key = await provider(before.url, { limits: { max_concurrency: 1 } });
  const suite = weatherSuite(0);
  const place = {
    type: 'function',
    function: { name: 'get_place', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  };
  const { eval_id } = await submit(key, {
    ...suite,
    tools: [...suite.tools, place],
    test_cases: [0, 1].map((n) => ({
      prompt: `How is the weather on my trip? (${n})`,
      multi_turn: true,
      optimal_hops: 2,
      expected_tool: 'get_weather',
      expected_params: { city: 'Paris' },
      mock_responses: { get_place: 'Paris' },
    })),
  });
  await until(() => before.asked.length === 1, { what: 'the first round of one' });
  before.answer(1);
  await until(() => before.asked.length === 2, { what: 'a round of the next' });
  await correct(key, { base_url: after.url, api_key: null });
  await until(() => after.asked.length === 1, { what: 'the waiting round to be asked at the new address' });
  after.open();
  before.open();
  expect((await untilRunCompleted(system.client, eval_id)).counts).toMatchObject({ settled: 2, errored: 0, passed: 2 });
  expect([before.asked.length, after.asked.length]).toEqual([2, 2]);
}, 120_000);

it('a stopped run resumes at the new address; a run whose provider was deleted errors item by item', async () => {
  const [before, after] = [await endpoint(), await endpoint()];
  after.open();
  const keys = [await provider(before.url), await provider(before.url)];
  const runs = await Promise.all(keys.map((key) => submit(key, weatherSuite(8))));
  await until(() => before.asked.length === 12, { what: 'requests at the old address' });
  for (const { job_id } of runs) await system.client.post(`/api/jobs/${job_id}/cancel`);
  for (const { eval_id } of runs)
    await until(async () => (await run(eval_id)).summaries.length === 1, { what: 'the run to end' });
  await correct(keys[0]!, { base_url: after.url, api_key: null });
  const lane = await laneOf(keys[1]!);
  expect((await system.client.delete(`/api/providers/${keys[1]}`)).status).toBe(204);
  await until(
    async () => (await Promise.all(system.workers.map(servedLanes))).every((lanes) => !lanes.includes(lane)),
    { what: 'workers to hear of it' },
  );
  for (const { eval_id } of runs)
    expect((await system.client.post(`/api/tool-eval/history/${eval_id}/resume`)).status).toBe(202);
  const [moved, gone] = await Promise.all(runs.map(({ eval_id }) => untilRunCompleted(system.client, eval_id)));
  expect(moved.counts).toMatchObject({ settled: 8, errored: 0, passed: 8 });
  expect(gone.counts).toMatchObject({ settled: 8, errored: 8 });
  expect((await results(runs[1]!.eval_id))[0].error).toEqual({
    kind: 'bad_request',
    message: `${keys[1]}::instant was removed while the run was in progress.`,
  });
}, 120_000);

it('a changed price applies from the next settled item', async () => {
  const endpointOf = await endpoint();
  const key = await provider(endpointOf.url);
  const { eval_id } = await submit(key, weatherSuite(60));
  await until(() => endpointOf.asked.length === 6, { what: 'requests under way' });
  endpointOf.answer(1);
  await until(async () => (await results(eval_id)).length === 1, { what: 'the first result' });
  await correct(key, { models: [{ ...MODEL, input_cost_per_mtok: 3 }] });
  // Workers are notified immediately, and also poll every second.
  const costs = async () => (await results(eval_id)).map(({ cost_usd }) => cost_usd);
  await until(
    async () => {
      endpointOf.answer(1);
      return (await costs()).includes(3);
    },
    { what: 'an item at the new price' },
  );
  const cheap = (await costs()).filter((cost) => cost === 1).length;
  endpointOf.open();
  await untilRunCompleted(system.client, eval_id);
  expect((await costs()).sort()).toEqual([...Array(cheap).fill(1), ...Array(60 - cheap).fill(3)]);
}, 120_000);

it('slots that a busy lane gets are used at once: no worker has free slots while work waits', async () => {
  const hangs = await endpoint();
  const key = await provider(hangs.url, { limits: { max_concurrency: 2 } });
  const { eval_id } = await submit(key, weatherSuite(60));
  const inHand = async (): Promise<number> => {
    const texts = await Promise.all(system.workers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    const ofLane = new RegExp(`^toolmark_worker_items_in_hand\\{lane="${await laneOf(key)}"\\} (\\d+)`, 'm');
    return texts.reduce((sum, text) => sum + Number(ofLane.exec(text)?.[1] ?? 0), 0);
  };
  await until(() => hangs.asked.length === 2, { what: 'all that it may ask' });
  await correct(key, { limits: { max_concurrency: 16 } });
  await until(() => hangs.asked.length === 16, { what: 'as much as it may ask now, though nothing has ended' });
  expect(await inHand()).toBeGreaterThanOrEqual(16);
  hangs.open();
  await untilRunCompleted(system.client, eval_id);
}, 120_000);

it('workers drop the lane of a deleted provider at once: its connections, metrics and row', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => provider(`${system.simulator.url}/v1`)));
  const lanes = async (): Promise<number> =>
    (await system.sql.query('SELECT 1 FROM lane WHERE name = ANY ($1)', [keys])).rowCount!;
  const ids = await Promise.all(keys.map(laneOf));
  const served = async (): Promise<string[]> =>
    (await servedLanes(system.workers[0]!)).filter((lane) => ids.includes(lane));
  for (const { eval_id } of await Promise.all(keys.map((key) => submit(key, weatherSuite(2)))))
    await untilRunCompleted(system.client, eval_id);
  expect((await served()).sort()).toEqual(ids.toSorted());
  expect(await lanes()).toBe(3);
  for (const key of keys) expect((await system.client.delete(`/api/providers/${key}`)).status).toBe(204);
  expect(await lanes()).toBe(0);
  await until(async () => (await served()).length === 0, { what: 'the worker to forget them' });
}, 120_000);
