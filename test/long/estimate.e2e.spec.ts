import { weatherSuite, type Client } from '../client.js';
import { joinSystem } from '../system.js';
import { until } from '../until.js';

let client: Client;
beforeAll(async () => {
  const { simulator, ...system } = await joinSystem();
  client = system.client;
  const prices = { input_cost_per_mtok: 2, output_cost_per_mtok: 10 };
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 5 },
    models: [{ id: 'slow-40', ...prices }, { id: 'slow-41', ...prices }, { id: 'slow-42' }],
  });
  await client.post('/api/providers', {
    key: 'openai',
    base_url: `${simulator.url}/v1`,
    api_key: 'sk-0123456789abcdef',
    limits: { requests_per_minute: 60 },
    models: [
      { id: 'gpt-4o-mini', ...prices },
      { id: 'gpt-4', ...prices },
    ],
  });
});

const importSuite = (cases: number): Promise<string> => client.importSuite(weatherSuite(cases));
const estimate = async (suite_id: string, models: string[], more: object = {}) =>
  (await client.post('/api/tool-eval/estimate', { suite_id, models, ...more })).body;

it('an estimate gives requests, tokens, cost and time without running anything', async () => {
  const suite = await importSuite(30);
  const before = await estimate(suite, ['slow-40', 'slow-41'], { samples: 2 });
  expect(before).toMatchObject({ requests: 120, cached: 0, completion_tokens: 120 * 64, cases: 30, counted_cases: 30 });
  expect(before.prompt_tokens).toBeGreaterThan(120 * 60);
  expect(before.cost_usd).toBeCloseTo((before.prompt_tokens * 2 + before.completion_tokens * 10) / 1e6);
  expect(before.duration_s).toBeCloseTo((120 * 2) / 5); // two seconds per request by default, five slots
  expect(before.targets[0]).toMatchObject({
    target: 'sim::slow-40',
    requests: 60,
    replies_by: 'rule',
    tokens_by: '4 characters a token',
  });
  expect(before.assumptions).toEqual([expect.stringMatching(/No max_tokens .* assumed to be 64 tokens each/)]);
  expect((await estimate(suite, ['slow-40'], { max_tokens: 99 })).assumptions).toEqual([]);
  expect((await estimate(suite, ['slow-42'])).cost_usd).toBeNull();
  expect((await client.get('/api/jobs')).body.items).toEqual([]);
});

it('an estimate uses the tokenizer of the model where it is public, and the slowest limit of the lane', async () => {
  const suite = await importSuite(10);
  const { targets, duration_s } = await estimate(suite, ['gpt-4o-mini', 'gpt-4']);
  expect(targets.map((target: any) => target.tokens_by)).toEqual(['o200k_base', 'cl100k_base']);
  expect(targets[0].prompt_tokens).toBeGreaterThan(10 * 40);
  expect(duration_s).toBeCloseTo(20 / 0.98, 1);
});

it('an estimate is kept with the actual figures, learns from them, and knows what stored replies save', async () => {
  const suite = await importSuite(25);
  const { body } = await client.post('/api/tool-eval', { suite_id: suite, models: ['slow-40'] });
  const done = await until(
    async () => {
      const now = (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body;
      return now.actual && now;
    },
    { what: 'the run to end' },
  );
  expect(done.estimate).toMatchObject({ requests: 25, cached: 0 });
  expect(done.actual).toMatchObject({
    requests: 25,
    cached: 0,
    prompt_tokens: done.summaries[0].usage.prompt_tokens,
    cost_usd: done.summaries[0].cost_usd,
  });
  expect(done.actual.duration_s).toBeGreaterThan(0.1);
  const again = await estimate(suite, ['slow-40']);
  expect(again).toMatchObject({ requests: 0, cached: 25, cost_usd: 0, duration_s: 0 });
  const fresh = await estimate(suite, ['slow-40'], { cache: 'off' });
  expect(fresh.targets[0]).toMatchObject({
    replies_by: 'earlier runs',
    completion_tokens: done.actual.completion_tokens,
  });
  expect(fresh.duration_s).toBeLessThan(2);
  const cached = (await client.post('/api/tool-eval', { suite_id: suite, models: ['slow-40'] })).body;
  const free = await until(
    async () => {
      const now = (await client.get(`/api/tool-eval/history/${cached.eval_id}`)).body;
      return now.actual && now;
    },
    { what: 'the run to end' },
  );
  expect(free.actual).toMatchObject({ requests: 0, cached: 25, prompt_tokens: 0, cost_usd: 0 });
}, 60_000);
