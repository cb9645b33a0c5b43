import { weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

let client: Client;
let requests: TeamSystem['requests'];
beforeAll(async () => {
  const system = await joinSystem();
  ({ client, requests } = system);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: ['perfect-ish', 'careless-arguments', 'slow-40', 'no-required'].map((id) => ({
      id,
      input_cost_per_mtok: 1,
      output_cost_per_mtok: 1,
    })),
  });
});

const importSuite = async (cases: number, name = ''): Promise<string> => {
  const suite = weatherSuite(cases);
  for (const one of suite.test_cases) one.prompt += name;
  return client.importSuite(suite);
};
const submit = async (suite_id: string, models: string[], more: object = {}): Promise<string> =>
  (await client.post('/api/tool-eval', { suite_id, models, ...more })).body.eval_id;
const run = async (...asked: Parameters<typeof submit>) => {
  const before = await requests();
  const done = await untilRunCompleted(client, await submit(...asked));
  return { done, asked: (await requests()) - before };
};

it('the same request is answered from the stored reply: marked, free, and with the same score', async () => {
  const suite = await importSuite(20, ' a');
  const first = await run(suite, ['careless-arguments']);
  expect([first.asked, first.done.config.cache]).toEqual([20, 'use']);
  const second = await run(suite, ['careless-arguments'], { budget: { max_requests: 1 } });
  expect(second.asked).toBe(0);
  expect(second.done).toMatchObject({
    status: 'completed',
    score: first.done.summaries[0].overall,
    counts: first.done.counts,
  });
  expect(second.done.summaries[0].cost_usd).toBe(0);
  const [result] = (await client.get(`/api/tool-eval/history/${second.done.id}/results`)).body.items;
  expect(result).toMatchObject({
    cached: true,
    cost_usd: 0,
    attempts: 0,
    latency_ms: null,
    tool_choice_used: 'required',
    usage: { prompt_tokens: expect.any(Number) },
  });
  expect(
    (await client.get(`/api/tool-eval/history/${second.done.id}/results/${result.id}`)).body.exchange.replies,
  ).toHaveLength(1);
});

it('another expectation of the same prompt is scored without a request', async () => {
  const suite = weatherSuite(3);
  const { body } = await client.post('/api/tool-eval/import', suite);
  await run(body.suite_id, ['perfect-ish']);
  suite.test_cases.forEach((one) => (one.expected_params = { city: 'Rome' }));
  const other = await client.importSuite(suite);
  const { done, asked } = await run(other, ['perfect-ish']);
  expect([asked, done.counts.passed]).toEqual([0, 0]);
});

it('another parameter, prompt or model is another request, and so is each sample of a case', async () => {
  const suite = await importSuite(2, ' b');
  await run(suite, ['perfect-ish']);
  expect((await run(suite, ['perfect-ish'], { max_tokens: 99 })).asked).toBe(2);
  expect((await run(suite, ['perfect-ish'], { system_prompt: 'Be brief.' })).asked).toBe(2);
  expect((await run(suite, ['careless-arguments'])).asked).toBe(2);
  const sampled = await run(suite, ['perfect-ish'], { samples: 3, cache: 'use' });
  expect(sampled.asked).toBe(4); // the first sample of each case equals the request of the first run
});

it('by default the cache is not used at other temperatures or for several samples, nor with cache: off', async () => {
  const suite = await importSuite(2, ' c');
  await run(suite, ['perfect-ish']);
  expect((await run(suite, ['perfect-ish'], { cache: 'off' })).asked).toBe(2);
  expect((await run(suite, ['perfect-ish'], { samples: 2 })).asked).toBe(4);
  expect((await run(suite, ['perfect-ish'], { temperature: 1 })).asked).toBe(2);
  expect((await run(suite, ['perfect-ish'], { temperature: 1, cache: 'use' })).asked).toBe(2);
  expect((await run(suite, ['perfect-ish'], { temperature: 1, cache: 'use' })).asked).toBe(0);
  expect((await run(suite, ['perfect-ish'], { cache: 'refresh' })).asked).toBe(2);
});

it('two runs that send the same request at the same time pay once', async () => {
  const suite = await importSuite(40, ' d');
  const before = await requests();
  const [one, two] = await Promise.all([submit(suite, ['slow-40']), submit(suite, ['slow-40'])]);
  const [a, b] = [await untilRunCompleted(client, one), await untilRunCompleted(client, two)];
  expect((await requests()) - before).toBe(40);
  expect([a.counts.passed, b.counts.passed]).toEqual([40, 40]);
}, 60_000);

it('the cache has a lifetime and a size limit, can be cleared, and drops the replies of deleted runs', async () => {
  const suite = await importSuite(2, ' e');
  const { done } = await run(suite, ['perfect-ish']);
  const { body } = await client.get('/api/settings/cache');
  expect(body).toMatchObject({ lifetime_days: 30, entries: expect.any(Number), bytes: expect.any(Number) });
  expect(body.bytes).toBeGreaterThan(100);
  await client.delete(`/api/tool-eval/history/${done.id}`);
  expect((await run(suite, ['perfect-ish'])).asked).toBe(2);
  expect((await client.put('/api/settings/cache', { lifetime_days: 0 })).body.lifetime_days).toBe(0);
  expect((await run(suite, ['perfect-ish'])).asked).toBe(2);
  await client.put('/api/settings/cache', { lifetime_days: 30 });
  expect((await run(suite, ['perfect-ish'])).asked).toBe(0);
  expect((await client.delete('/api/settings/cache')).status).toBe(204);
  expect((await client.get('/api/settings/cache')).body).toMatchObject({ entries: 0, bytes: 0 });
  expect((await run(suite, ['perfect-ish'])).asked).toBe(2);
});

it('the cache shows what was actually sent when a model refuses tool_choice "required"', async () => {
  const suite = await importSuite(2, ' f');
  await run(suite, ['no-required']);
  const { done, asked } = await run(suite, ['no-required']);
  expect(asked).toBeLessThanOrEqual(2);
  const { items } = (await client.get(`/api/tool-eval/history/${done.id}/results`)).body;
  expect(items.map((result: any) => result.tool_choice_used)).toEqual(['auto', 'auto']);
});
