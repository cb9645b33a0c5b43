import { zstdDecompressSync } from 'node:zlib';
import { TOOLS_PLACEHOLDER } from '#lib/scoring/cases/stored-requests';
import type { Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunCompleted, untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

let client: Client;
let system: TeamSystem;
const MODELS = [
  'scripted:way',
  'scripted:parallel',
  'scripted:late',
  'scripted:text',
  'scripted:slow',
  'scripted:resumed',
  'scripted:broken',
  'scripted:described',
  'never-stops',
  'perfect-ish',
];
beforeAll(async () => {
  system = await joinSystem();
  client = system.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: MODELS.map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 1 })),
  });
});

const tool = (name: string, ...keys: string[]) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])) },
  },
});
const tools = [
  tool('find_user', 'name'),
  tool('list_orders', 'user'),
  tool('refund', 'order'),
  tool('get_weather', 'city'),
];
const calls = (...made: [name: string, args: object][]) => ({
  role: 'assistant',
  content: null,
  tool_calls: made.map(([name, args], index) => ({
    id: `made_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })),
});
const script = (id: string, replies: object[]) => system.script(id, { replies });
const stats = async (model: string) => (await system.stats())[model]!;
const chain = {
  prompt: 'Refund the last order of Ann.',
  multi_turn: true,
  expected_tool: 'refund',
  expected_params: { order: 'o-7' },
  optimal_hops: 3,
  valid_prerequisites: ['find_user', 'list_orders'],
  mock_responses: {
    find_user: { id: 'u-1' },
    list_orders: [{ when: { user: 'u-1' }, respond: ['o-7'] }, { respond: 'no such user' }],
  },
};
async function played(model: string, test_case: object, more: object = {}) {
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', { name: 'chains', tools, test_cases: [test_case] });
  const { body } = await client.post('/api/tool-eval', { suite_id, models: [model], tool_choice: 'auto', ...more });
  const run = await untilRunEnded(client, body.eval_id);
  const {
    body: {
      items: [result],
    },
  } = await client.get(`/api/tool-eval/history/${run.id}/results`);
  return { run, result, whole: (await client.get(`/api/tool-eval/history/${run.id}/results/${result.id}`)).body };
}

it('a chain is played until its expected tool is called, each call answered by its mock', async () => {
  await script('way', [
    calls(['find_user', { name: 'Ann' }]),
    calls(['list_orders', { user: 'u-1' }]),
    calls(['refund', { order: 'o-7' }]),
  ]);
  const { run, result, whole } = await played('scripted:way', chain, { metrics: [{ id: 'toolmark.multi_turn' }] });
  expect(result).toMatchObject({
    passed: true,
    overall: 1,
    attempts: 3,
    error_type: 'none',
    evidence: { chain: { completion: 1, efficiency: 1, redundancy: 0, detour: 0, hops: 3 } },
  });
  expect(result.metrics['toolmark.multi_turn']).toMatchObject({ score: 1, hops: 3 });
  expect(result.called.map((call: any) => call.name)).toEqual(['find_user', 'list_orders', 'refund']);
  expect(whole.exchange.replies).toHaveLength(3);
  const [, , third] = whole.exchange.requests;
  expect(third.messages.slice(-4)).toEqual([
    expect.objectContaining({ role: 'assistant', tool_calls: [expect.objectContaining({ id: 'made_0' })] }),
    { role: 'tool', tool_call_id: 'made_0', content: '{"id":"u-1"}' },
    expect.objectContaining({ role: 'assistant' }),
    { role: 'tool', tool_call_id: 'made_0', content: '["o-7"]' },
  ]);
  expect(whole.explanation.join(' ')).toMatch(/The chain reaches "refund" with call 3/);
  expect(run.summaries[0].usage.prompt_tokens).toBeGreaterThan(0);
  // One item, three requests, each paid once.
  const again = await client.post('/api/tool-eval', {
    suite_id: run.suite.id,
    models: ['scripted:way'],
    tool_choice: 'auto',
  });
  const cached = await until(async () => {
    const now = (await client.get(`/api/tool-eval/history/${again.body.eval_id}`)).body;
    return now.actual && now;
  });
  expect([cached.score, cached.actual.requests, cached.actual.cached]).toEqual([1, 0, 1]);
});

it('several calls of one round are answered one by one, and calls after the expected one do not count', async () => {
  await script('parallel', [
    calls(['find_user', { name: 'Ann' }], ['get_weather', { city: 'Oslo' }]),
    calls(['refund', { order: 'o-7' }], ['find_user', { name: 'Bob' }]),
  ]);
  const { run, result, whole } = await played('scripted:parallel', chain);
  expect(result).toMatchObject({
    called: [{ name: 'find_user' }, { name: 'get_weather' }, { name: 'refund' }],
    evidence: { chain: { hops: 3, detour: 0.1 } },
    overall: expect.closeTo(0.9),
    passed: false,
    error_type: 'long_way',
  });
  expect(run.summaries[0].error_counts).toEqual({ long_way: 1 });
  expect(whole.exchange.requests[1].messages.slice(-2)).toEqual([
    { role: 'tool', tool_call_id: 'made_0', content: '{"id":"u-1"}' },
    { role: 'tool', tool_call_id: 'made_1', content: '{"status":"ok"}' },
  ]);
});

it('a call written as text is answered in native form', async () => {
  await script('text', [
    { role: 'assistant', content: '{"name": "find_user", "arguments": {"name": "Ann"}}' },
    calls(['refund', { order: 'o-7' }]),
  ]);
  const { result, whole } = await played('scripted:text', chain);
  expect(result).toMatchObject({ format_compliance: 'repaired', called: [{ name: 'find_user' }, { name: 'refund' }] });
  const [assistant, answer] = whole.exchange.requests[1].messages.slice(-2);
  expect(assistant.tool_calls[0].function).toEqual({ name: 'find_user', arguments: '{"name":"Ann"}' });
  expect(answer).toMatchObject({ role: 'tool', tool_call_id: assistant.tool_calls[0].id });
});

it('a model that never stops calling is stopped at the round limit of the case', async () => {
  const { result } = await played('never-stops', { ...chain, prompt: 'What is the weather in Paris?', max_rounds: 4 });
  expect(result).toMatchObject({ passed: false, error_type: 'round_limit', attempts: 4, overall: 0 });
});

it('an error in a late round leaves the chain without a score, and keeps its rounds', async () => {
  await script('late', [calls(['find_user', { name: 'Ann' }]), { status: 400, body: { error: { message: 'no' } } }]);
  const { result, whole } = await played('scripted:late', chain);
  expect(result).toMatchObject({ outcome: 'errored', overall: null, error: { kind: 'bad_request' } });
  expect(whole.exchange.requests).toHaveLength(2);
  expect(whole.exchange.replies[0].choices[0].message.tool_calls[0].function.name).toBe('find_user');
});

it('a resume scores a chain from its stored replies, and restarts a chain that broke off', async () => {
  const lane = async (paused: boolean) => {
    for (const { id } of (await client.get('/api/lanes')).body.items)
      await client.post(`/api/lanes/${id}/${paused ? 'pause' : 'resume'}`);
  };
  const resultsOf = async (id: string) => (await client.get(`/api/tool-eval/history/${id}/results`)).body.items;
  const whole = [
    calls(['find_user', { name: 'Ann' }]),
    calls(['list_orders', { user: 'u-1' }]),
    calls(['refund', { order: 'o-7' }]),
  ];
  await script('resumed', whole);
  await script('broken', [whole[0]!, { status: 400, body: { error: { message: 'no' } } }]);
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', {
    name: 'kept',
    tools,
    test_cases: [{ ...chain, expected_params: { order: 'o-.' }, param_scoring: 'regex' }],
  });
  await lane(true);
  const {
    body: { eval_id: id },
  } = await client.post('/api/tool-eval', {
    suite_id,
    models: ['scripted:resumed', 'scripted:broken'],
    tool_choice: 'auto',
    cache: 'off',
  });
  // Corrupts the stored copy of the case, as no release would: its replies cannot be scored.
  const spoil = (from: string, to: string) =>
    system.sql.query(
      `UPDATE suite_version_case c SET body = replace(c.body, $2, $3) FROM run r WHERE r.id = $1
        AND c.version_id = r.suite_version_id`,
      [id, from, to],
    );
  await spoil('"o-."', '"("');
  await lane(false);
  await untilRunCompleted(client, id);
  expect(
    (await resultsOf(id)).map((result: any) => [result.target, result.error?.kind, result.attempts]).sort(),
  ).toEqual([
    ['sim::scripted:broken', 'bad_request', 2],
    ['sim::scripted:resumed', 'internal', 3],
  ]);

  await spoil('"("', '"o-."');
  await script('broken', whole);
  // A worker caches suite versions, because they do not change.
  await Promise.all(system.workers.splice(0).map((worker) => worker.stop()));
  await system.startWorker();
  const asked = [await system.requests('scripted:resumed'), await system.requests('scripted:broken')];
  expect((await client.post(`/api/tool-eval/history/${id}/resume`)).status).toBe(202);
  await untilRunCompleted(client, id);
  expect(
    (await resultsOf(id))
      .map((result: any) => [result.target, result.passed, result.attempts, result.cached, result.evidence.chain.hops])
      .sort(),
  ).toEqual([
    ['sim::scripted:broken', true, 3, false, 3],
    ['sim::scripted:resumed', true, 0, true, 3],
  ]);
  expect([await system.requests('scripted:resumed'), await system.requests('scripted:broken')]).toEqual([
    asked[0],
    asked[1]! + 3,
  ]);
}, 120_000);

it('a chain stops between two rounds when its run is cancelled', async () => {
  await script(
    'slow',
    Array.from({ length: 50 }, () => ({ message: calls(['find_user', { name: 'Ann' }]), delay_ms: 200 })),
  );
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', { name: 'long', tools, test_cases: [{ ...chain, max_rounds: 50 }] });
  const { body } = await client.post('/api/tool-eval', { suite_id, models: ['scripted:slow'], tool_choice: 'auto' });
  await until(async () => (await stats('scripted:slow')).requests >= 2, { what: 'two rounds' });
  await client.post(`/api/jobs/${body.job_id}/cancel`);
  const asked = (await stats('scripted:slow')).requests;
  await until(async () => (await stats('scripted:slow')).in_flight === 0, { what: 'no request under way' });
  expect((await stats('scripted:slow')).requests).toBeLessThanOrEqual(asked + 1);
});

it('replies of chains are rescored by other rules', async () => {
  await script('way', [calls(['find_user', { name: 'Ann' }]), calls(['refund', { order: 'O-7!' }])]);
  const { run } = await played('scripted:way', { ...chain, prompt: 'Again.' }, { cache: 'off' });
  expect(run.score).toBeCloseTo(0.6);
  const { body } = await client.post(`/api/tool-eval/history/${run.id}/rescore`, {
    scoring_config: { mode: 'contains' },
  });
  await untilJobCompleted(client, body.job_id);
  expect((await client.get(`/api/tool-eval/history/${run.id}/rescores`)).body.items[0].score).toBe(1);
});

it('stored chains are scored with another version, unless they ended before the call that it expects', async () => {
  await script('way', [calls(['find_user', { name: 'Ann' }]), calls(['refund', { order: 'o-7' }])]);
  const { run } = await played('scripted:way', { ...chain, prompt: 'Mended.' }, { cache: 'off' });
  const suite = run.suite.id;
  const [{ id: caseId, position: _position, ...stored }] = (await client.get(`/api/tool-suites/${suite}/cases`)).body
    .items;
  const rescoredExpecting = async (expected: object) => {
    await client.put(`/api/tool-suites/${suite}/cases/${caseId}`, { ...stored, ...expected });
    const { version } = (await client.get(`/api/tool-suites/${suite}`)).body;
    const { body } = await client.post(`/api/tool-eval/history/${run.id}/rescore`, { suite_version: version });
    await untilJobCompleted(client, body.job_id);
    const of = `/api/tool-eval/history/${run.id}`;
    const [{ unmatched, passed }] = (await client.get(`${of}/results?rescore_id=${body.rescore_id}`)).body.items;
    return { left: (await client.get(`${of}/rescores`)).body.items[0].unmatched.count, unmatched, passed };
  };
  // An earlier call of the chain, one that it may have made had it gone on, and none at all.
  expect(await rescoredExpecting({ expected_tool: 'find_user', expected_params: { name: 'Ann' } })).toEqual({
    left: 0,
    unmatched: false,
    passed: true,
  });
  expect(await rescoredExpecting({ expected_tool: 'get_weather', expected_params: null })).toEqual({
    left: 1,
    unmatched: true,
    passed: false,
  });
  expect(await rescoredExpecting({ expected_tool: null, expected_params: null })).toEqual({
    left: 0,
    unmatched: false,
    passed: false,
  });
  expect(await rescoredExpecting({ mock_responses: { find_user: 'nobody' } })).toMatchObject({ unmatched: true });
});

describe('texts of a run that replace those of its suite', () => {
  const FIND = 'tools/find_user/description';
  const ORDER = 'tools/refund/parameters/properties/order/description';
  const sentTo = async (model: string): Promise<any[]> =>
    ((await (await fetch(`${system.simulator.url}/control/requests?model=${model}`)).json()) as any).items;
  const describedIn = ({ messages, tools: sent }: any) => ({
    system: messages[0].role === 'system' ? messages[0].content : null,
    find: sent.find((one: any) => one.function.name === 'find_user')?.function.description,
    order: sent.find((one: any) => one.function.name === 'refund').function.parameters.properties.order,
  });

  it('are sent in every round and for added samples, and shown as sent; tools of a case keep their own', async () => {
    const way = [
      calls(['find_user', { name: 'Ann' }]),
      calls(['list_orders', { user: 'u-1' }]),
      calls(['refund', { order: 'o-7' }]),
    ];
    await script('described', [...way, ...way, ...way]);
    const texts = {
      base_prompt: 'Be exact.',
      tool_overrides: { [FIND]: 'Finds who is meant.', [ORDER]: 'The id of the order.' },
    };
    const { run, result, whole } = await played('scripted:described', chain, texts);
    expect(result).toMatchObject({ passed: true, overall: 1 });
    const described = {
      system: 'Be exact.',
      find: 'Finds who is meant.',
      order: { type: 'string', description: 'The id of the order.' },
    };
    const sent = await sentTo('scripted:described');
    expect(sent.map(describedIn)).toEqual([described, described, described]);
    expect(whole.exchange.requests.map((one: any) => one.tools)).toEqual(sent.map((one) => one.tools));

    const added = (await client.post(`/api/tool-eval/history/${run.id}/samples`, { samples: 1 })).body.eval_id;
    await untilRunCompleted(client, added);
    expect((await sentTo('scripted:described')).slice(-3).map(describedIn)).toEqual([described, described, described]);

    const own = { ...chain, tools: [{ ...tool('find_user', 'name') }, 'list_orders', 'refund'] };
    await played('scripted:described', own, { ...texts, base_prompt: null });
    expect(describedIn((await sentTo('scripted:described')).at(-1))).toEqual({
      ...described,
      system: null,
      find: undefined,
    });
  });

  it('make another request: a stored reply only answers the same texts', async () => {
    const one = { prompt: 'Weather in Oslo?', expected_tool: 'get_weather' };
    const { body } = await client.post('/api/tool-eval/import', { name: 'described', tools, test_cases: [one] });
    const asked = async (more: object): Promise<number> => {
      const run = { suite_id: body.suite_id, models: ['perfect-ish'], ...more };
      const { eval_id } = (await client.post('/api/tool-eval', run)).body;
      const ended = await until(async () => {
        const now = (await client.get(`/api/tool-eval/history/${eval_id}`)).body;
        return now.actual && now;
      });
      return ended.actual.requests;
    };
    const first = { tool_overrides: { [FIND]: 'One.' } };
    expect([await asked({}), await asked(first), await asked({ tool_overrides: { [FIND]: 'Two.' } })]).toEqual([
      1, 1, 1,
    ]);
    expect([await asked({ base_prompt: 'Be brief.' }), await asked({ base_prompt: '' })]).toEqual([1, 0]);
    expect([await asked(first), await asked({ tool_overrides: { [FIND]: '' } })]).toEqual([0, 0]);
  });
});

describe('the tools of a case', () => {
  const one = {
    prompt: 'What is the weather in Paris?',
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
  };
  const sent = async (test_case: object): Promise<string[]> => {
    const { whole, result } = await played('perfect-ish', test_case, { cache: 'off', tool_choice: 'required' });
    expect(result.passed).toBe(true);
    return whole.exchange.requests[0].tools.map((sentTool: any) => sentTool.function.name);
  };

  it('can be its own, or a selection of the suite', async () => {
    expect(await sent({ ...one, tools: ['refund', 'get_weather'] })).toEqual(['refund', 'get_weather']);
    expect(
      await sent({ ...one, expected_tool: 'weather_now', tools: [tool('weather_now', 'city'), 'refund'] }),
    ).toEqual(['weather_now', 'refund']);
  });

  it('are shown with a request as they were sent, but not stored with it', async () => {
    const own = tool('weather_now', 'city');
    const { run, whole } = await played(
      'perfect-ish',
      { ...one, expected_tool: 'weather_now', tools: [{ ...own, annotations: { readOnlyHint: true } }] },
      { cache: 'off' },
    );
    expect(whole.exchange.requests[0].tools).toEqual([own]);
    const { rows } = await system.sql.query<{ body: Buffer }>('SELECT body FROM exchange WHERE run_id = $1', [run.id]);
    expect(rows.map(({ body }) => JSON.parse(zstdDecompressSync(body).toString()).requests[0].tools)).toEqual([
      TOOLS_PLACEHOLDER,
    ]);
  });

  it('can be the required one among distractors, the same distractors for the same seed', async () => {
    const some = await sent({ ...one, distractors: { count: 2, seed: 5 } });
    expect(some).toHaveLength(3);
    expect(some).toContain('get_weather');
    expect(await sent({ ...one, distractors: { count: 2, seed: 5 } })).toEqual(some);
    expect(await sent({ ...one, distractors: 0 })).toEqual(['get_weather']);
  });

  it('are checked when the case is saved', async () => {
    const refused = async (test_case: object) =>
      (await client.post('/api/tool-eval/import', { name: 'x', tools, test_cases: [test_case] })).body;
    expect(await refused({ ...one, tools: ['refund'] })).toMatchObject({
      status: 422,
      errors: [{ path: '/test_cases/0/expected_tool', message: expect.stringMatching(/tools of the case/) }],
    });
    expect(await refused({ ...one, tools: ['nope', 'get_weather'] })).toMatchObject({
      status: 422,
      errors: [{ path: '/test_cases/0/tools/0' }],
    });
    expect(await refused({ ...one, distractors: 9 })).toMatchObject({
      status: 422,
      errors: [{ path: '/test_cases/0/distractors', message: expect.stringMatching(/has 4 tools/) }],
    });
  });

  it('drafts are never run', async () => {
    const {
      body: { suite_id },
    } = await client.post('/api/tool-eval/import', {
      name: 'drafts',
      tools,
      test_cases: [{ ...one, draft: true }, one, { ...one, expected_tool: 'refund', expected_params: { draft: true } }],
    });
    const { body } = await client.post('/api/tool-eval/estimate', { suite_id, models: ['perfect-ish'], cache: 'off' });
    expect(body.requests).toBe(2);
    const run = (await client.post('/api/tool-eval', { suite_id, models: ['perfect-ish'] })).body;
    const done = await untilRunCompleted(client, run.eval_id);
    expect(done.counts.total).toBe(2);
  });
});
