import { weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

const PRICES = {
  input_cost_per_mtok: 3,
  output_cost_per_mtok: 15,
  cache_read_cost_per_mtok: 0.3,
  cache_write_5m_cost_per_mtok: 3.75,
  cache_write_1h_cost_per_mtok: 6,
};
const POSTED = { input: 3, output: 15, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: 6 };
/** A provider for each format, each with a different model. */
const FORMATS = [
  { key: 'chat', kind: 'openai', path: '/v1' },
  { key: 'responses', kind: 'openai-responses', path: '/v1' },
  { key: 'claude', kind: 'anthropic', path: '/anthropic' },
  { key: 'gemini', kind: 'google', path: '/google/v1beta' },
];
const modelOf = (key: string): string => `perfect-ish:${key}`;

let system: TeamSystem;
let client: Client;
beforeAll(async () => {
  system = await joinSystem();
  ({ client } = system);
  for (const { key, kind, path } of FORMATS) {
    await posted(`prices/${modelOf(key)}`, POSTED);
    await client.post('/api/providers', {
      key,
      kind,
      base_url: `${system.simulator.url}${path}`,
      limits: { max_concurrency: 32 },
      models: [{ id: modelOf(key), ...PRICES }],
    });
  }
});

const posted = async (what: string, body: object): Promise<void> => {
  const { ok } = await fetch(`${system.simulator.url}/control/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(ok).toBe(true);
};
const ledger = async () => (await (await fetch(`${system.simulator.url}/control/ledger`)).json()) as any;

/** Weather questions with a tool list above the minimum length that caches keep. */
function longSuite(cases: number): object {
  const suite = weatherSuite(cases) as any;
  const others = Array.from({ length: 12 }, (_, n) => ({
    type: 'function',
    function: {
      name: `archive_${n}`,
      description: `Keeps record ${n} of the archive. `.repeat(20),
      parameters: { type: 'object', properties: { record: { type: 'string' } }, required: ['record'] },
    },
  }));
  return { ...suite, system_prompt: 'You look things up. '.repeat(10), tools: [...suite.tools, ...others] };
}

async function imported(suite: object): Promise<string> {
  return client.importSuite(suite);
}
async function runOf(suiteId: string, models: string[], more: object = {}): Promise<any> {
  const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models, cache: 'off', ...more });
  return untilRunEnded(client, body.eval_id as string, 120_000);
}
const resultsOf = async (id: string): Promise<any[]> =>
  ((await client.get(`/api/tool-eval/history/${id}/export?format=jsonl`)).body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

it('2,000 items in four formats cost exactly what their provider reports, in tokens and in cents', async () => {
  const models = FORMATS.map(({ key }) => `${key}::${modelOf(key)}`);
  const suite = await imported(longSuite(250));
  const first = await runOf(suite, models, { prompt_cache: '5m' });
  // By then, five-minute cache entries have expired.
  await posted('clock', { advance_s: 301 });
  const second = await runOf(suite, models, { prompt_cache: '1h' });
  const items = (await Promise.all([first, second].map(({ id }) => resultsOf(id)))).flat();
  expect(items).toHaveLength(2000);

  const billed = await ledger();
  const COUNTS = [
    'prompt_tokens',
    'completion_tokens',
    'cache_read_tokens',
    'cache_write_5m_tokens',
    'cache_write_1h_tokens',
    'reasoning_tokens',
  ];
  for (const [index, { key }] of FORMATS.entries()) {
    const own = billed.models[modelOf(key)];
    const of = items.filter(({ target }) => target === models[index]);
    expect(of).toHaveLength(own.requests);
    expect(sum(of.map(({ cost_usd }) => cost_usd))).toBeCloseTo(own.cost_usd, 9);
    const usages = [first, second].map(({ targets }) => targets[index].usage);
    for (const count of COUNTS) {
      expect([count, sum(of.map(({ usage }) => usage[count] ?? 0))]).toEqual([count, own[count]]);
      expect([count, sum(usages.map((usage) => usage[count]))]).toEqual([count, own[count]]);
    }
    const read = sum(usages.map((usage) => usage.cache_hit_rate * usage.prompt_tokens));
    expect(read / own.prompt_tokens).toBeCloseTo(own.cache_read_tokens / own.prompt_tokens, 9);
    // One tool list for all cases: most of each request is cached.
    expect(own.cache_read_tokens / own.prompt_tokens).toBeGreaterThan(0.5);
  }
  // Only Anthropic bills cache writes, and each lifetime separately.
  const { cache_write_5m_tokens: short, cache_write_1h_tokens: long } = billed.models[modelOf('claude')];
  expect([short > 0, long > 0]).toEqual([true, true]);
  expect(billed.total.cache_write_1h_tokens).toBe(long);

  const costs = [first, second].map(({ actual }) => actual.cost_usd as number);
  expect(sum(costs)).toBeCloseTo(billed.total.cost_usd, 9);
  const { body: month } = await client.get('/api/settings/spending');
  expect(month.spent_usd).toBeCloseTo(billed.total.cost_usd, 9);
  const csv = (await client.get(`/api/tool-eval/history/${first.id}/export?format=csv`)).body as string;
  expect(csv.split('\n')[0]).toContain(
    'cache_read_tokens,cache_write_5m_tokens,cache_write_1h_tokens,reasoning_tokens',
  );

  // Today's prices are only a view: billed costs do not change.
  await client.patch('/api/providers/claude', {
    models: [{ id: modelOf('claude'), ...PRICES, cache_read_cost_per_mtok: 3 }],
  });
  const { body: viewed } = await client.get(`/api/tool-eval/history/${second.id}?prices=current`);
  const dearer = second.targets[2].usage.cache_read_tokens * (2.7 / 1e6);
  expect(viewed.current_cost.cost_usd - second.actual.cost_usd).toBeCloseTo(dearer, 9);
  expect(viewed.current_cost.targets.map(({ by }: any) => by)).toEqual(Array(4).fill('prices'));
  expect(viewed.actual).toEqual(second.actual);
  expect((await client.get('/api/settings/spending')).body).toEqual(month);

  // The next estimate includes the cached share.
  const asked = { suite_id: suite, models: [models[0]], cache: 'off' };
  const { body: likeBefore } = await client.post('/api/tool-eval/estimate', { ...asked, prompt_cache: '1h' });
  const { body: otherwise } = await client.post('/api/tool-eval/estimate', { ...asked, prompt_cache: 'off' });
  expect(likeBefore.targets[0].cache_hit_rate).toBeCloseTo(second.targets[0].usage.cache_hit_rate, 2);
  expect(otherwise.targets[0].cache_hit_rate).toBe(0);
  expect(likeBefore.cost_usd).toBeLessThan(0.7 * otherwise.cost_usd);
  expect(likeBefore.assumptions.join(' ')).toMatch(/cache is assumed to answer \d+ % of the tokens/);
}, 240_000);

it('a price that changes during a run bills later items, and earlier ones keep their cost', async () => {
  const model = 'slow-20:priced';
  const provider = (input: number) => ({
    models: [{ id: model, input_cost_per_mtok: input, output_cost_per_mtok: 0 }],
  });
  await client.post('/api/providers', {
    key: 'changing',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 2 },
    ...provider(1),
  });
  const suite = await imported(weatherSuite(60));
  const { body } = await client.post('/api/tool-eval', {
    suite_id: suite,
    models: [`changing::${model}`],
    cache: 'off',
  });
  await until(async () => (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body.counts.settled > 5, {
    what: 'some items to settle',
  });
  await client.patch('/api/providers/changing', provider(1000));
  const run = await untilRunEnded(client, body.eval_id as string, 120_000);
  const paid = (await resultsOf(run.id)).map(({ cost_usd, usage }) =>
    Math.round((cost_usd / usage.prompt_tokens) * 1e6),
  );
  expect(new Set(paid)).toEqual(new Set([1, 1000]));
  expect(run.actual.cost_usd).toBeGreaterThan(0);
  const { body: viewed } = await client.get(`/api/tool-eval/history/${run.id}?prices=current`);
  expect(viewed.current_cost.cost_usd).toBeCloseTo(run.actual.prompt_tokens / 1000, 9);
  expect(viewed.actual).toEqual(run.actual);
});

it('a cost that a provider reports wins over prices, and counts towards the cap of the team', async () => {
  const model = 'host:openrouter';
  await posted(`prices/${model}`, { input: 1000, output: 1000 });
  await client.post('/api/providers', {
    key: 'router',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 1 },
    models: [{ id: model }],
  });
  const suite = await imported(weatherSuite(30));
  const asked = { suite_id: suite, models: [`router::${model}`], cache: 'off', tool_choice: 'auto' };
  const { spent_usd: before } = (await client.get('/api/settings/spending')).body;
  const first = await runOf(suite, asked.models, { tool_choice: 'auto', case_filter: null });
  const own = (await ledger()).models[model];
  expect(first.actual.cost_usd).toBeCloseTo(own.cost_usd, 9);
  expect((await resultsOf(first.id)).every(({ cost_reported }) => cost_reported)).toBe(true);
  expect((await client.get('/api/settings/spending')).body.spent_usd - before).toBeCloseTo(own.cost_usd, 9);
  const { body: viewed } = await client.get(`/api/tool-eval/history/${first.id}?prices=current`);
  expect(viewed.current_cost.targets[0].by).toBe('provider');
  expect(viewed.current_cost.cost_usd).toBeCloseTo(first.actual.cost_usd, 9);
  const { body: estimate } = await client.post('/api/tool-eval/estimate', asked);
  expect(estimate.cost_usd).toBeCloseTo(own.cost_usd, 6);

  // A budget in dollars is accepted, since the model's cost is known by now.
  const limited = await runOf(suite, asked.models, { tool_choice: 'auto', budget: { max_cost_usd: own.cost_usd / 3 } });
  expect(limited.status).toBe('budget_exceeded');
  const { spent_usd: spent } = (await client.get('/api/settings/spending')).body;
  await client.put('/api/settings/spending', { monthly_cap_usd: spent });
  expect(await client.post('/api/tool-eval', asked)).toMatchObject({ status: 409 });
  await client.put('/api/settings/spending', { monthly_cap_usd: null });
});

it('stored replies answer a run that uses the cache of its provider', async () => {
  const suite = await imported(weatherSuite(5));
  const models = [`chat::${modelOf('chat')}`];
  await runOf(suite, models, { cache: 'use' });
  const again = await runOf(suite, models, { cache: 'use', prompt_cache: '1h' });
  expect(again.actual).toMatchObject({ requests: 0, cached: 5, cost_usd: 0 });
});
