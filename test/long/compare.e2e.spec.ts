import { clientOf, weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
let client: Client;
beforeAll(async () => {
  system = await joinSystem();
  client = system.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: ['perfect-ish', 'careless-arguments'].map((id) => ({
      id,
      input_cost_per_mtok: 1,
      output_cost_per_mtok: 1,
    })),
  });
});

const call = (city: string, name = 'get_weather') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify({ city }) } }],
});
const RIGHT = { reply: call('Paris') };
const WRONG = { reply: call('Rome') };
const FAILED = { error: 'The agent ran out of memory.' };

const importSuite = (cases: number, more: object = {}): Promise<string> =>
  client.importSuite({ ...weatherSuite(cases), ...more });

/** A recorded run. @param replies of case 0, 1, ...: one for each sample */
async function record(suite: string, name: string, replies: object[][]): Promise<string> {
  const lines = replies.flatMap((samples, n) =>
    samples.map((reply, sample) => ({ case: `case ${n}`, sample, ...reply })),
  );
  const { status, body } = await client.post(
    `/api/tool-eval/recorded?${new URLSearchParams({ suite_id: suite, target_name: name })}`,
    lines.map((line) => JSON.stringify(line)).join('\n'),
    { 'content-type': 'application/x-ndjson' },
  );
  expect([status, body]).toEqual([202, expect.anything()]);
  return body.eval_id;
}
const ended = async (id: string): Promise<string> => {
  await untilRunCompleted(client, id);
  return id;
};
const recorded = async (...given: Parameters<typeof record>): Promise<string> => ended(await record(...given));
const submitted = async (suite: string, more: object): Promise<string> =>
  ended((await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::perfect-ish'], ...more })).body.eval_id);

const compare = async (query: Record<string, string>, as = client) => {
  const { status, body } = await as.get(`/api/compare?${new URLSearchParams(query)}`);
  return { status, ...body };
};
const items = (query: Record<string, string>) => client.get(`/api/compare/items?${new URLSearchParams(query)}`);
const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
/** One sample per case: this many of each kind, in order. */
const each = (...kinds: [number, object][]): object[][] => kinds.flatMap(([count, reply]) => repeat(count, [reply]));

describe('two runs with 12 fixed and 3 broken of 100 cases', () => {
  let suite: string;
  let a: string;
  let b: string;
  beforeAll(async () => {
    suite = await importSuite(100);
    a = await recorded(suite, 'before', each([12, WRONG], [3, RIGHT], [65, RIGHT], [20, WRONG]));
    b = await recorded(suite, 'after', each([12, RIGHT], [3, WRONG], [65, RIGHT], [20, WRONG]));
  }, 120_000);

  it('are compared like any others, with the interval that decides', async () => {
    const found = await compare({ a, b, measure: 'passed' });
    expect(found).toMatchObject({
      status: 200,
      cases: { common: 100, changed: 0, only_a: 0, only_b: 0, dropped_errored: 0 },
      all: { verdict: 'improved', n_cases: 100, mean_a: 0.68, mean_b: 0.77, small: false, robust: true },
      outcomes: { fixed: 12, broken: 3, better: 0, worse: 0, same_right: 65, same_wrong: 20, same_mixed: 0 },
      targets: [{ a: 'recorded::before', b: 'recorded::after', mcnemar: { fixed: 12, broken: 3 } }],
      tools: [{ tool: 'get_weather', estimate: { n_cases: 100, verdict: null } }],
      confusion: [{ expected: 'get_weather', called: 'get_weather', a: 100, b: 100 }],
    });
    expect(found.all.difference).toBeCloseTo(0.09, 10);
    expect(found.all.ci.map((limit: number) => limit.toFixed(4))).toEqual(['0.0096', '0.1669']);
    expect(found.all.p.toFixed(4)).toBe('0.0283');
    expect(found.all.text).toMatch(
      /better than before by 9 points \(95 %: 1 to 17; 100 cases\): 12 passed by after alone, 3 by before alone\./,
    );
    const mirrored = await compare({ a: b, b: a, measure: 'passed' });
    expect(mirrored.all).toMatchObject({ verdict: 'regressed', p: found.all.p });
    expect(mirrored.all.ci).toEqual([-found.all.ci[1], -found.all.ci[0]]);
  });

  it('accept a margin of 0', async () => {
    expect((await compare({ a, b, margin: '0' })).all.cases_for_margin).toBeNull();
    expect((await compare({ a, b })).all.cases_for_margin).toEqual(expect.any(Number));
  });

  it('list their broken cases with both calls, both explanations and both scores', async () => {
    const { status, body } = await items({ a, b, outcome: 'broken', limit: '2' });
    expect([status, body.items.length]).toEqual([200, 2]);
    expect(body.items[0]).toEqual({
      case_id: expect.any(String),
      case_name: 'case 12',
      category: null,
      prompt: 'What is the weather in Paris? (12)',
      expected: { tool: 'get_weather', params: { city: 'Paris' } },
      target_a: 'recorded::before',
      target_b: 'recorded::after',
      outcome: 'broken',
      a: {
        eval_id: a,
        result_id: '0-12-0',
        score: 1,
        passed_samples: 1,
        scored_samples: 1,
        errored_samples: 0,
        called: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
        difference: null,
        explanation: [expect.stringMatching(/right tool/), expect.stringMatching(/All expected arguments match/)],
      },
      b: {
        eval_id: b,
        result_id: '0-12-0',
        score: 0.6,
        passed_samples: 0,
        scored_samples: 1,
        errored_samples: 0,
        called: [{ name: 'get_weather', arguments: { city: 'Rome' } }],
        difference: expect.objectContaining({ argument: '/city', called: 'Rome', expected: 'Paris' }),
        explanation: [expect.stringMatching(/right tool/), expect.stringMatching(/city is "Rome", expected "Paris"/)],
      },
    });
    const next = (await items({ a, b, outcome: 'broken', limit: '2', cursor: body.next_cursor })).body;
    expect(next).toMatchObject({ items: [{ case_name: 'case 14' }], next_cursor: null });
    const all = (await items({ a, b, limit: '200' })).body;
    expect([all.items.length, all.next_cursor]).toEqual([100, null]);
    expect((await items({ a, b, target: 'recorded::after', category: 'none' })).body.items).toEqual([]);
  });

  it('keep their comparison when one is resumed or deleted while it is cached', async () => {
    const c = await recorded(suite, 'third', each([50, RIGHT], [50, FAILED]));
    expect(await compare({ a, b: c })).toMatchObject({ b: { errored_share: 0.5, status: 'completed' } });
    await client.post(`/api/tool-eval/history/${c}/resume`);
    await ended(c);
    expect((await compare({ a, b: c })).status).toBe(200);
    expect((await client.delete(`/api/tool-eval/history/${c}`)).status).toBe(204);
    const gone = await compare({ a, b: c });
    expect(gone).toMatchObject({ status: 404, detail: `No run with id "${c}" in this team.` });
  }, 60_000);

  it('do not exist for another team, and are open to viewers of this team', async () => {
    const other = clientOf(client.url, (await system.operator.post('/api/teams', { name: 'others' })).body.token.token);
    const unknown = '019aa8a2-5c1e-7000-8000-000000000099';
    for (const query of [
      { a, b },
      { a: unknown, b },
    ]) {
      const { status, detail } = await compare(query, other);
      expect([status, detail]).toEqual([404, `No run with id "${query.a}" in this team.`]);
    }
    const viewer = clientOf(client.url, (await client.post('/api/tokens', { name: 'v', role: 'viewer' })).body.token);
    expect((await compare({ a, b }, viewer)).status).toBe(200);
  });

  const refused: [string, (ids: { a: string; b: string }) => Record<string, string>, number, RegExp][] = [
    ['no run', () => ({}), 422, /the baseline as a and the other as b/],
    ['one run', ({ a }) => ({ a }), 422, /the baseline as a and the other as b/],
    ['one run twice', ({ a }) => ({ a, b: a }), 422, /two of its models/],
    ['runs of one', ({ a }) => ({ runs: a }), 400, /2 to 6 runs/],
    ['seven runs', ({ a, b }) => ({ runs: [a, b, a, b, a, b, a].join() }), 400, /2 to 6 runs/],
    ['a run twice among several', ({ a, b }) => ({ runs: [a, b, a].join() }), 422, /twice/],
    ['runs beside a and b', ({ a, b }) => ({ a, b, runs: `${a},${b}` }), 422, /either a and b, or runs/],
    ['rescore_b beside runs', ({ a, b }) => ({ runs: `${a},${b}`, rescore_b: a }), 422, /rescore_b/],
    ['a margin below zero', ({ a, b }) => ({ a, b, margin: '-0.01' }), 400, /margin/],
    ['a margin above one', ({ a, b }) => ({ a, b, margin: '2' }), 400, /margin/],
    [
      'an unknown pair',
      ({ a, b }) => ({ a, b, pairs: 'recorded::befor~recorded::after' }),
      422,
      /pairs names "recorded::befor"/,
    ],
    ['an unknown measure', ({ a, b }) => ({ a, b, measure: 'bleu' }), 422, /Both have: overall, passed/],
    ['an unknown rescore', ({ a, b }) => ({ a, b, rescore_b: a }), 404, /No rescore with id/],
    ['something that is not an id', ({ b }) => ({ a: 'x', b }), 400, /a is not an id/],
    ['a cluster that is not a tag', ({ a, b }) => ({ a, b, cluster_by: 'city' }), 400, /tag:<prefix>/],
  ];
  it.each(refused)('are refused with a suggestion when there is %s', async (_what, query, status, words) => {
    const answer = await compare(query({ a, b }));
    expect([answer.status, answer.detail]).toEqual([status, expect.stringMatching(words)]);
  });

  it('have pages with cursors and targets of their own', async () => {
    const status = async (more: Record<string, string>) => (await items({ a, b, ...more })).status;
    expect(await status({ cursor: 'x' })).toBe(400);
    expect(await status({ cursor: '7.7.1' })).toBe(400);
    expect(await status({ target: 'recorded::nobody' })).toBe(422);
    expect(await status({ target: 'recorded::before' })).toBe(200);
  });
});

it('several runs are each compared with the first one', async () => {
  const suite = await importSuite(10);
  const runs = [
    await recorded(suite, 'one', each([10, WRONG])),
    await recorded(suite, 'two', each([10, RIGHT])),
    await recorded(suite, 'three', each([10, WRONG])),
  ];
  const { comparisons } = await compare({ runs: runs.join() });
  expect(comparisons).toMatchObject([
    { a: { id: runs[0] }, b: { id: runs[1] }, outcomes: { fixed: 10 }, all: { verdict: 'improved' } },
    { a: { id: runs[0] }, b: { id: runs[2] }, outcomes: { same_wrong: 10 }, all: { verdict: 'inconclusive' } },
  ]);
}, 60_000);

it('a changed prompt is the treatment: it is named, and drops no cases', async () => {
  const suite = await importSuite(12);
  const a = await submitted(suite, {});
  const b = await submitted(suite, { system_prompt: 'Answer briefly.', temperature: 0.5 });
  const found = await compare({ a, b });
  expect(found).toMatchObject({ cases: { common: 12, changed: 0 }, cost: { a: expect.any(Number) } });
  expect(found.what_changed).toEqual(
    expect.arrayContaining([
      { path: '/system_prompt', a: null, b: 'Answer briefly.' },
      { path: '/temperature', a: 0, b: 0.5 },
    ]),
  );
  expect(found.latency_p50_ms).toEqual({ a: expect.any(Number), b: expect.any(Number) });
}, 60_000);

it('two targets of one run are compared as a pair', async () => {
  const suite = await importSuite(20);
  const run = await submitted(suite, { models: ['sim::perfect-ish', 'sim::careless-arguments'] });
  const pairs = 'sim::careless-arguments~sim::perfect-ish';
  const found = await compare({ a: run, b: run, pairs });
  expect(found).toMatchObject({ cases: { common: 20 }, targets: [{ a: 'sim::careless-arguments' }] });
  expect(found.all.difference).toBeGreaterThan(0);
  const { body } = await items({ a: run, b: run, pairs, outcome: 'fixed', limit: '1' });
  expect(body.items).toMatchObject([{ target_a: 'sim::careless-arguments', target_b: 'sim::perfect-ish' }]);
}, 60_000);

it('the verdicts of a rescore are compared instead of the original ones', async () => {
  const suite = await importSuite(10);
  const shouted = { reply: call('PARIS, FRANCE') };
  const a = await recorded(suite, 'agent', each([10, shouted]));
  const b = await recorded(suite, 'agent', each([10, shouted]));
  expect(await compare({ a, b })).toMatchObject({ outcomes: { same_wrong: 10 }, b: { rescore_id: null } });
  const { rescore_id } = (
    await client.post(`/api/tool-eval/history/${b}/rescore`, {
      param_scoring: 'contains',
      metrics: ['ragas_tool_call_f1'],
    })
  ).body;
  await until(
    async () =>
      (await client.get(`/api/tool-eval/history/${b}/rescores`)).body.items.every(
        ({ status }: any) => status === 'completed',
      ),
    { what: 'the rescore' },
  );
  const found = await compare({ a, b, rescore_b: rescore_id });
  expect(found).toMatchObject({ outcomes: { fixed: 10 }, b: { rescore_id }, all: { verdict: 'improved' } });
  expect(found.notes.join()).toMatch(/[Rr]escore/);
  expect(await compare({ a: b, b: a, rescore_a: rescore_id })).toMatchObject({ outcomes: { broken: 10 } });
  expect(await compare({ a: b, b, rescore_b: rescore_id })).toMatchObject({ outcomes: { fixed: 10 } });
  // Only the rescore has the metric.
  const query = { a, b, rescore_b: rescore_id, measure: 'ragas_tool_call_f1' };
  expect(await compare(query)).toMatchObject({ status: 422, detail: expect.stringMatching(/One of the runs lacks/) });
  const both = { a: b, b, rescore_a: rescore_id, rescore_b: rescore_id, measure: 'ragas_tool_call_f1' };
  expect(await compare({ ...both, pairs: 'recorded::agent~recorded::agent' })).toMatchObject({
    all: { measure: 'ragas_tool_call_f1', n_cases: 10 },
  });
  expect((await items({ a, b, rescore_b: rescore_id, limit: '1' })).body.items[0].b.explanation.join()).toMatch(
    /All expected arguments match/,
  );
}, 60_000);

it('samples never count as cases, nor do paraphrases of one case when they form a cluster', async () => {
  const suite = await importSuite(20, {
    test_cases: weatherSuite(20).test_cases.map((one, n) => ({ ...one, tags: [`intent:${n % 10}`] })),
  });
  const [one, five] = [
    [1, 'one'],
    [5, 'five'],
  ] as const;
  const runsOf = async ([samples, name]: typeof one | typeof five) => ({
    a: await recorded(suite, `${name} before`, repeat(20, repeat(samples, WRONG))),
    b: await recorded(suite, `${name} after`, [
      ...repeat(4, repeat(samples, RIGHT)),
      ...repeat(16, repeat(samples, WRONG)),
    ]),
  });
  const [few, many] = [await runsOf(one), await runsOf(five)];
  const [ofFew, ofMany] = [await compare(few), await compare(many)];
  expect(ofMany.all).toMatchObject({ n_cases: 20, samples: [5, 5] });
  expect(ofMany.all.ci[0]).toBeCloseTo(ofFew.all.ci[0], 10);
  expect(ofMany.all.ci[1]).toBeCloseTo(ofFew.all.ci[1], 10);
  expect((await compare({ ...many, cluster_by: 'tag:intent:' })).all).toMatchObject({ n_cases: 10 });
}, 60_000);

it('cases that changed between two versions of a suite are counted, not compared', async () => {
  const suite = await importSuite(10);
  const a = await recorded(suite, 'agent', each([10, RIGHT]));
  const { body } = await client.get(`/api/tool-suites/${suite}/cases`);
  const change = async (n: number, more: object) => {
    const { id, position: _position, ...input } = body.items[n];
    expect((await client.put(`/api/tool-suites/${suite}/cases/${id}`, { ...input, ...more })).status).toBe(200);
  };
  await change(0, { prompt: 'How is the weather in Paris?' });
  await change(1, { expected_params: { city: 'Rome' } });
  await change(2, { tags: ['easy'], category: 'current' });
  await client.post(`/api/tool-suites/${suite}/cases`, {
    name: 'case 10',
    prompt: 'And in Paris?',
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
  });
  const b = await recorded(suite, 'agent', each([2, RIGHT], [8, WRONG], [1, RIGHT]));
  const found = await compare({ a, b });
  expect(found).toMatchObject({
    cases: { common: 8, changed: 2, only_a: 0, only_b: 1 },
    all: { n_cases: 8, verdict: 'regressed' },
    outcomes: { broken: 8, same_right: 0 },
    categories: [{ category: 'current', estimate: { n_cases: 1 } }],
  });
  expect(found.notes.join()).toMatch(/run the baseline again with stored replies/);
  const copy = await importSuite(10);
  const c = await recorded(copy, 'agent', each([10, RIGHT]));
  expect(await compare({ a, b: c })).toMatchObject({ cases: { common: 10, changed: 0 }, outcomes: { same_right: 10 } });
}, 60_000);

it('errored samples are in no mean, and bounds show what they could have changed', async () => {
  const suite = await importSuite(20);
  const a = await recorded(suite, 'agent', repeat(20, [RIGHT, WRONG]));
  const b = await recorded(suite, 'agent', [
    ...repeat(1, [FAILED, FAILED]),
    ...repeat(1, [RIGHT, FAILED]),
    ...repeat(18, [RIGHT, RIGHT]),
  ]);
  const query = { a, b, measure: 'passed', max_errored_share: '0.1' };
  const found = await compare(query);
  expect(found).toMatchObject({
    cases: { common: 20, dropped_errored: 1 },
    a: { errored_share: 0 },
    b: { errored_share: 0.075 },
    all: { n_cases: 19, mean_a: 0.5, mean_b: 1, difference: 0.5, verdict: 'improved', robust: true },
  });
  const [low, high] = found.all.bounds;
  expect([low < 0.5, high >= 0.5]).toEqual([true, true]);
  expect((await compare({ ...query, max_errored_share: '0.05' })).all).toMatchObject({
    verdict: 'inconclusive',
    reasons: ['errored'],
  });
}, 60_000);

it('an unfinished run is not comparable, or compared by its settled items, without a verdict', async () => {
  const suite = await importSuite(10);
  const models = [{ id: 'perfect-ish' }];
  const held = { key: 'held', base_url: `${system.simulator.url}/v1`, api_key: 'sk-held-0123456789', models };
  expect((await client.post('/api/providers', held)).status).toBe(201);
  const { items: lanes } = (await client.get('/api/lanes')).body;
  const lane = lanes.find(({ providers }: any) => providers.includes('held'));
  await client.post(`/api/lanes/${lane.id}/pause`);
  const a = await submitted(suite, {});
  const { eval_id: b } = (
    await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::perfect-ish', 'held::perfect-ish'] })
  ).body;
  await until(async () => (await client.get(`/api/tool-eval/history/${b}`)).body.targets[0].settled === 10, {
    what: 'its first model to be done',
  });
  expect((await compare({ a, b })).all).toMatchObject({ verdict: 'not_comparable', reasons: ['running'], n_cases: 0 });
  expect((await items({ a, b })).body).toMatchObject({
    status: 422,
    detail: expect.stringMatching(/as far as they are settled/),
  });
  expect(await compare({ a, b, partial: 'true' })).toMatchObject({
    b: { status: 'running', unmatched: ['held::perfect-ish'] },
    all: { verdict: 'not_comparable', reasons: ['running'], n_cases: 10, difference: 0 },
    outcomes: { same_right: 10 },
  });
  expect((await items({ a, b, partial: 'true' })).body.items).toHaveLength(10);
  await client.post(`/api/lanes/${lane.id}/resume`);
  await ended(b);
  expect((await compare({ a, b })).all).toMatchObject({ verdict: 'inconclusive', reasons: [], n_cases: 10 });
}, 60_000);

it('concurrent requests for one comparison get one answer', async () => {
  const suite = await importSuite(10);
  const [a, b] = [await recorded(suite, 'one', each([10, WRONG])), await recorded(suite, 'two', each([10, RIGHT]))];
  const answers = await Promise.all(repeat(50, 0).map(() => compare({ a, b })));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 200 });
}, 60_000);
