import { KNOWN_HOSTS } from '../../apps/simulator/hosts/hosts.js';
import type { Client } from '../client.js';
import { startGateway, type Gateway } from '../gateway.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { until } from '../until.js';
import { untilRunCompleted } from '../until-ended.js';

// A gateway that nobody of this project wrote stands between Toolmark and the simulator, as a company's does.

const KEY = 'Bearer sk-gateway-0123456789';
const TEAM = 'x-team-secret-abcdef';
/** Behaviours that end in every way: scored, errored, limited, asked again, refused. */
const BEHAVIOURS = [
  'perfect-ish',
  'careless-arguments',
  'wrong-tool',
  'text-only',
  'unknown-tool',
  'parallel',
  'malformed-json',
  'cut-off',
  'no-required',
  'flaky-30',
  'limited-600',
  'overloaded',
  'html-error',
  'huge',
];
const HOSTS = Object.entries(KNOWN_HOSTS)
  // The gateway's format `openai` loses xAI's words: its error is then "openai error: undefined".
  .filter(([name, { format }]) => (format ?? 'openai') === 'openai' && !['xai', 'refuses-everything'].includes(name))
  .map(([name]) => `host:${name}`);

let system: TeamSystem;
let client: Client;
let gateway: Gateway;
beforeAll(async () => {
  [system, gateway] = await Promise.all([joinSystem(), startGateway()]);
  ({ client } = system);
}, 300_000);

const routing = (name: string, value: string) => ({ name, kind: 'routing', value });
const secret = (name: string, value: string) => ({ name, kind: 'secret', value });
/** The headers that lead through the gateway to the simulator. */
const leading = (provider: string, path: string) => [
  routing('x-portkey-provider', provider),
  routing('x-portkey-custom-host', system.simulator.url + path),
];

async function addProvider(key: string, body: object): Promise<void> {
  const made = await client.post('/api/providers', { key, limits: { max_concurrency: 20 }, ...body });
  expect(made).toMatchObject({ status: 201 });
}

/** What each model did in each case, without what differs by the way to it. */
async function verdictsOf(models: string[], more: object = {}): Promise<Record<string, object[]>> {
  const suite_id = await client.importSuite(SUITE);
  const { body } = await client.post('/api/tool-eval', { suite_id, models, model_order: 'parallel', ...more });
  await untilRunCompleted(client, body.eval_id, 240_000);
  const verdicts: Record<string, object[]> = {};
  for (let cursor = ''; ;) {
    const { body: page } = await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200${cursor}`);
    for (const one of page.items) {
      const [provider, model] = one.target.split('::');
      (verdicts[provider] ??= []).push({
        what: `${model} ${one.case_name}`,
        outcome: one.outcome,
        passed: one.passed,
        error: one.error_type ?? one.error?.kind,
        called: one.called,
        choice: one.outcome === 'scored' ? one.tool_choice_used : undefined,
      });
    }
    if (!page.next_cursor) break;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  for (const list of Object.values(verdicts)) list.sort((a: any, b: any) => a.what.localeCompare(b.what));
  return verdicts;
}

const tool = (name: string, description: string, properties: object, required: string[]) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});
const SUITE = {
  name: 'Through a gateway',
  tools: [
    tool('get_weather', 'Get current weather for a city', { city: { type: 'string' } }, ['city']),
    tool('mail.send', 'Send an e-mail', { to: { type: 'string' } }, ['to']),
  ],
  test_cases: [
    { name: 'weather', prompt: 'What is the weather in Paris?', expected_tool: 'get_weather' },
    { name: 'mail', prompt: 'Send an e-mail to ann@example.com', expected_tool: 'mail.send' },
    { name: 'nothing', prompt: 'Thank you, that was all.', expected_tool: null },
  ],
};

it('a run through the gateway ends as one without it, model by model and host by host', async () => {
  const models = [...BEHAVIOURS, ...HOSTS].map((id) => ({ id }));
  await addProvider('direct', { kind: 'openai', base_url: `${system.simulator.url}/v1`, api_key: 'sk-direct', models });
  await addProvider('gateway', {
    kind: 'openai',
    base_url: `${gateway.url}/v1`,
    headers: [...leading('openai', '/v1'), secret('authorization', KEY), secret('X-Team', TEAM)],
    models,
  });
  const found = await verdictsOf(['direct', 'gateway'].flatMap((key) => models.map(({ id }) => `${key}::${id}`)));
  expect(found.direct).toHaveLength(models.length * SUITE.test_cases.length);
  expect(found.gateway).toEqual(found.direct);
  // What hosts refuse is learned in their own words, which the gateway puts its own in front of.
  const learnedOf = async (key: string) =>
    (await client.get(`/api/providers/${key}`)).body.learned
      .map(({ model, setting, sent }: any) => `${model} ${setting} ${sent}`)
      .sort();
  expect(await learnedOf('gateway')).toEqual(await learnedOf('direct'));
}, 300_000);

it('the Responses API and Anthropic are asked through it in their own formats', async () => {
  const models = [{ id: 'perfect-ish' }, { id: 'flaky-30' }];
  await addProvider('responses', {
    kind: 'openai-responses',
    base_url: `${gateway.url}/v1`,
    api_key: 'sk-any',
    headers: leading('openai', '/v1'),
    models,
  });
  await addProvider('anthropic', {
    kind: 'anthropic',
    base_url: gateway.url,
    api_key: 'sk-any',
    headers: leading('anthropic', '/anthropic/v1'),
    models,
  });
  const found = await verdictsOf(['responses', 'anthropic'].flatMap((key) => models.map(({ id }) => `${key}::${id}`)));
  const perfect = (key: string) => found[key]!.filter(({ what }: any) => what.startsWith('perfect-ish'));
  for (const key of ['responses', 'anthropic'])
    expect([key, perfect(key).map(({ passed }: any) => passed)]).toEqual([key, [true, true, true]]);
}, 120_000);

it("says in the gateway's words what the gateway itself refuses, and in ours that it lists no models", async () => {
  const models = [{ id: 'perfect-ish' }];
  await addProvider('lost', { kind: 'openai', base_url: `${gateway.url}/v1`, api_key: 'sk-any', models });
  const test = async () => (await client.post('/api/providers/lost/test')).body;
  expect(await test()).toMatchObject({
    ok: false,
    error: expect.stringContaining('Either x-portkey-config or x-portkey-provider header is required'),
  });
  await client.patch('/api/providers/lost', { headers: [routing('x-portkey-provider', 'nobody')] });
  expect(await test()).toMatchObject({ ok: false, error: expect.stringContaining('Invalid provider passed') });
  await client.patch('/api/providers/lost', {
    headers: [routing('x-portkey-provider', 'openai'), routing('x-portkey-custom-host', 'http://169.254.169.254/v1')],
  });
  expect(await test()).toMatchObject({ ok: false, error: expect.stringContaining('Invalid custom host') });
  // This gateway answers 500 to a list of models, whatever the host has.
  await client.patch('/api/providers/lost', { headers: leading('openai', '/v1') });
  expect(await test()).toMatchObject({ ok: true });
  expect((await client.get('/api/providers/lost/discover')).body.detail).toMatch(/answered 500: Something went wrong/);
});

it('a wrong secret header is a wrong key, is mended in place, and is shown nowhere', async () => {
  await addProvider('keyed', {
    kind: 'openai',
    base_url: `${gateway.url}/v1`,
    headers: [...leading('openai', '/v1'), secret('Authorization', 'Bearer wrong'), secret('X-Team', TEAM)],
    models: [{ id: 'perfect-ish' }],
  });
  const test = async () => (await client.post('/api/providers/keyed/test')).body;
  expect(await test()).toMatchObject({
    ok: false,
    error: expect.stringMatching(/refused the headers \(401\): .* headers \(.*X-Team\)/),
  });
  const kept = ['x-portkey-provider', 'x-portkey-custom-host', 'X-Team'].map((name) => ({ name }));
  const mended = await client.patch('/api/providers/keyed', { headers: [...kept, secret('Authorization', KEY)] });
  expect(mended.body.headers).toEqual([
    { name: 'x-portkey-provider', kind: 'routing' },
    { name: 'x-portkey-custom-host', kind: 'routing' },
    { name: 'X-Team', kind: 'secret' },
    { name: 'Authorization', kind: 'secret' },
  ]);
  expect(await test()).toMatchObject({ ok: true });
  const shown = [
    await client.get('/api/providers'),
    await client.get('/api/providers/keyed'),
    await client.get('/api/audit'),
    mended,
  ].map(({ body }) => JSON.stringify(body));
  const logs = system.workers.map((worker) => worker.logs());
  for (const text of [...shown, ...logs]) for (const value of [KEY, TEAM]) expect(text).not.toContain(value);
});

it('a gateway that is killed in the middle of a run costs none of its results', async () => {
  await addProvider('killed', {
    kind: 'openai',
    base_url: `${gateway.url}/v1`,
    headers: [...leading('openai', '/v1'), secret('authorization', KEY)],
    limits: { max_concurrency: 4 },
    models: [{ id: 'slow-200' }],
  });
  const suite_id = await client.importSuite(SUITE);
  const { body } = await client.post('/api/tool-eval', { suite_id, models: ['killed::slow-200'], samples: 20 });
  const job = async () => (await client.get(`/api/jobs/${body.job_id}`)).body;
  await until(async () => (await job()).progress.done > 5);
  await gateway.restart(() => until(async () => (await job()).blocked !== null, { timeoutMs: 60_000 }));
  const run = await untilRunCompleted(client, body.eval_id, 120_000);
  expect(run.summaries).toMatchObject([{ scored: 60, errored: 0 }]);
}, 240_000);
