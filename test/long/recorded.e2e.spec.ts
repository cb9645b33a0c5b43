import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
let client: Client;
const MODELS = [
  'perfect-ish',
  'careless-arguments',
  'json-in-content',
  'double-encoded',
  'malformed-json',
  'parallel',
  'cut-off',
  'html-page',
  'embeddings',
];
beforeAll(async () => {
  system = await joinSystem();
  client = system.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 4 },
    models: MODELS.map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 1 })),
  });
});

const NDJSON = { 'content-type': 'application/x-ndjson' };
const lines = (all: readonly object[]): string => all.map((line) => JSON.stringify(line)).join('\n');
const record = (suite_id: string, target_name: string, text: string, more: Record<string, string> = {}) =>
  client.post(`/api/tool-eval/recorded?${new URLSearchParams({ suite_id, target_name, ...more })}`, text, NDJSON);
const suiteOf = (file: object): Promise<string> => client.importSuite(file);
const run = async (id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body;
const resultsOf = async (id: string, query = '') =>
  (await client.get(`/api/tool-eval/history/${id}/results?limit=200${query}`)).body.items;
/** Runs the command line; a failed one is returned, too. */
const toolmark = (args: string[], input?: string) => {
  const ran = promisify(execFile)(resolve('node_modules/.bin/node'), [
    resolve('dist/apps/cli/main.js'),
    ...args,
    '--server',
    client.url,
    '--token',
    client.token,
  ]);
  ran.child.stdin!.end(input);
  return ran.catch((error: { stdout: string; stderr: string; code: number }) => error);
};
const call = (city: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }],
});
const CALLED = call('Paris');

/** The parts of each verdict, by case and sample. */
const verdicts = (results: any[]) =>
  Object.fromEntries(
    results.map((r) => [
      `${r.case_name} ${r.sample}`,
      {
        outcome: r.outcome,
        passed: r.passed,
        tool_score: r.tool_score,
        param_score: r.param_score,
        overall: r.overall,
        error_type: r.error_type,
        format_compliance: r.format_compliance,
        called: r.called,
        evidence: r.evidence,
        metrics: r.metrics,
        usage: r.usage,
        error: r.error,
      },
    ]),
  );

it('replies of a run, recorded again, get the same verdicts without any request or cost', async () => {
  const tools = [
    ...weatherSuite(0).tools,
    {
      type: 'function',
      function: { name: 'find_city', parameters: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  ];
  const suite = await suiteOf({
    name: 'All kinds',
    tools,
    test_cases: [
      ...weatherSuite(2).test_cases,
      { name: 'none', prompt: 'What is 2 + 2?', expected_tool: null },
      {
        name: 'two',
        prompt: 'The weather in Paris and Rome?',
        expected_calls: [
          { tool: 'get_weather', params: { city: 'Paris' } },
          { tool: 'get_weather', params: { city: 'Rome' } },
        ],
      },
      {
        name: 'chain',
        prompt: 'What is the weather in Paris?',
        multi_turn: true,
        expected_tool: 'get_weather',
        expected_params: { city: 'Paris' },
        mock_responses: { find_city: 'Paris' },
        max_rounds: 3,
      },
    ],
  });
  const metrics = [{ id: 'bfcl_ast' }, { id: 'ragas_tool_call_f1' }];
  const models = MODELS.filter((model) => model !== 'embeddings');
  const first = await untilRunEnded(
    client,
    (
      await client.post('/api/tool-eval', {
        suite_id: suite,
        models,
        samples: 2,
        tool_choice: 'auto',
        metrics,
        model_order: 'parallel',
      })
    ).body.eval_id,
  );
  const asked = await system.requests();
  const spent = (await client.get('/api/settings/spending')).body.spent_usd;
  const of = await Promise.all(
    first.targets.map(async ({ target, model_id: model }: any) => {
      const results = await resultsOf(first.id, `&model=${encodeURIComponent(target)}`);
      const file = await Promise.all(
        results.map(async ({ id, case_id, case_name, sample, error }: any) => {
          const {
            exchange: { replies },
          } = (await client.get(`/api/tool-eval/history/${first.id}/results/${id}`)).body;
          return {
            case: sample ? case_id : case_name,
            sample,
            ...(error ? { error } : case_name === 'chain' ? { rounds: replies } : { reply: replies.at(-1) }),
          };
        }),
      );
      const answer = await record(suite, model, lines(file), { metrics: JSON.stringify(metrics) });
      expect(answer).toMatchObject({ status: 202, body: { status: 'submitted', replies: 10, warnings: [] } });
      return { results, model, again: await untilRunEnded(client, answer.body.eval_id) };
    }),
  );
  for (const { results, model, again } of of) {
    expect(verdicts(await resultsOf(again.id))).toEqual(verdicts(results));
    const before = first.summaries.find(({ target }: any) => target === `sim::${model}`);
    const recorded = again.summaries[0];
    const others = {
      target: '',
      latency_ms: 0,
      cost_usd: 0,
      cached: 0,
      metrics: 0,
      tool_choice_used: {},
    };
    expect({ ...recorded, ...others }).toEqual({ ...before, ...others });
    expect(again).toMatchObject({
      status: 'completed',
      actual: null,
      estimate: null,
      config: { recorded: true, samples: 2, temperature: null },
      targets: [{ target: `recorded::${model}`, recorded: true, total: 10, settled: 10 }],
      summaries: [{ latency_ms: { p50: null, p95: null }, cost_usd: 0, cached: { results: 0 } }],
    });
  }
  expect(first.targets[0]).not.toHaveProperty('recorded');
  expect(await system.requests()).toBe(asked);
  expect((await client.get('/api/settings/spending')).body.spent_usd).toBe(spent);
  // Nor were they added to the reply cache.
  expect(
    (
      await system.sql.query(
        'SELECT count(*)::int AS n FROM cached_reply c JOIN target t USING (run_id) WHERE t.recorded',
      )
    ).rows,
  ).toEqual([{ n: 0 }]);
}, 120_000);

it('a missing reply is errored; a recorded run is listed, rescored, exported, resumed and deleted', async () => {
  const suite = await suiteOf(weatherSuite(4));
  const file = [
    { case: 'case 0', reply: CALLED },
    { case: 'case 0', reply: 'I cannot.' },
    { case: 'case 1', reply: CALLED },
    { case: 'case 2', sample: 1, error: 'The agent ran out of memory.' },
    { case: 'case 2', sample: 0, rounds: [CALLED, call('Rome')] },
  ];
  const { body } = await record(suite, 'agent', lines(file), { metrics: '[{"id":"ragas_tool_call_f1"}]' });
  expect(body).toMatchObject({
    replies: 5,
    read_as: { 'toolmark.message': 4, error: 1 },
    warnings: [
      expect.stringMatching(/3 of the suite's 4 cases/),
      expect.stringMatching(/1 have no reply/),
      expect.stringMatching(/line 5.*only the first round/),
    ],
  });
  const done = await untilRunEnded(client, body.eval_id);
  expect(done).toMatchObject({
    status: 'completed',
    counts: { total: 6, settled: 6, errored: 2, passed: 3 },
    summaries: [{ errored: 2, error_counts: { errored: 2 }, overall: 0.75 }],
  });
  const errors = (await resultsOf(done.id, '&outcome=errored')).map(({ case_name, sample, error }: any) => [
    case_name,
    sample,
    error,
  ]);
  expect(errors.sort()).toEqual([
    ['case 1', 1, { kind: 'unrecorded', message: expect.stringMatching(/no reply for this case and sample/) }],
    ['case 2', 1, { kind: 'unrecorded', message: 'The agent ran out of memory.' }],
  ]);
  const { rows } = await system.sql.query(
    `SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning' ORDER BY seq`,
    [body.job_id],
  );
  expect(rows.map(({ code }) => code)).toEqual(['recorded_cases', 'unrecorded', 'several_rounds']);
  expect(done.warnings.map(({ code }: any) => code)).toEqual(['recorded_cases', 'several_rounds', 'unrecorded']);

  expect((await client.get('/api/tool-eval/history')).body.items[0]).toMatchObject({
    id: done.id,
    targets: [{ recorded: true }],
  });
  const [shown] = (await resultsOf(done.id)).filter(
    ({ case_name, sample }: any) => case_name === 'case 2' && sample === 0,
  );
  expect(shown.metrics.ragas_tool_call_f1).toMatchObject({ score: 1 });
  const whole = (await client.get(`/api/tool-eval/history/${done.id}/results/${shown.id}`)).body;
  expect(whole.exchange.requests).toEqual([{ recorded: { line: 5, read_as: 'toolmark.message' } }]);
  const exported = (await client.get(`/api/tool-eval/history/${done.id}/export?format=json`)).body;
  expect([exported.run.targets[0].recorded, exported.results.length]).toEqual([true, 6]);

  const rescored = (await client.post(`/api/tool-eval/history/${done.id}/rescore`, { pass_threshold: 0, metrics: [] }))
    .body;
  const [rescore] = await until(
    async () => {
      const { items } = (await client.get(`/api/tool-eval/history/${done.id}/rescores`)).body;
      return items[0]?.status === 'completed' && items;
    },
    { what: 'the rescore' },
  );
  expect(rescore).toMatchObject({ id: rescored.rescore_id, summaries: [{ passed: 4, errored: 2 }] });

  // A resume calls no model either: a missing reply stays missing.
  const asked = await system.requests();
  const {
    status,
    body: { job_id },
  } = await client.post(`/api/tool-eval/history/${done.id}/resume`);
  expect(status).toBe(202);
  await untilJobCompleted(client, job_id);
  expect(verdicts(await resultsOf(done.id))).toEqual(verdicts(exported.results));
  expect(await system.requests()).toBe(asked);
  expect((await client.delete(`/api/tool-eval/history/${done.id}`)).status).toBe(204);
  expect((await client.get(`/api/tool-eval/history/${done.id}`)).status).toBe(404);
}, 120_000);

it('a chain is scored from all of its rounds, whether listed or in a conversation', async () => {
  const find = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'f', type: 'function', function: { name: 'find_city', arguments: '{}' } }],
  };
  const tools = [
    ...weatherSuite(0).tools,
    { type: 'function', function: { name: 'find_city', parameters: { type: 'object', properties: {} } } },
  ];
  const chain = {
    name: 'chain',
    prompt: 'The weather at home?',
    multi_turn: true,
    expected_tool: 'get_weather',
    expected_params: { city: 'Paris' },
    mock_responses: { find_city: 'Paris' },
  };
  const suite = await suiteOf({ name: 'Chains', tools, test_cases: [chain] });
  const conversation = [
    { role: 'user', content: chain.prompt },
    find,
    { role: 'tool', tool_call_id: 'f', content: 'Paris' },
    CALLED,
  ];
  const { body } = await record(
    suite,
    'agent',
    lines([
      { case: 'chain', rounds: [find, CALLED] },
      { case: 'chain', reply: conversation },
    ]),
  );
  await untilRunEnded(client, body.eval_id);
  expect(await resultsOf(body.eval_id)).toMatchObject([
    { overall: 1, evidence: { chain: { hops: 2 } } },
    { overall: 1, evidence: { chain: { hops: 2 } } },
  ]);
  expect(body.warnings).toEqual([]);
}, 60_000);

const LIBRARY = {
  name: 'Library',
  system_prompt: 'Before lend_book, call get_book. Call lend_book only if status is free.',
  tools: [
    ['get_book', 'Show a book and its status.', ['book']],
    ['lend_book', 'Lend a book to a member.', ['book', 'member']],
  ].map(([name, description, required]) => ({
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        required,
        properties: Object.fromEntries((required as string[]).map((one) => [one, { type: 'string' }])),
      },
    },
  })),
  conversation: {
    state: { books: { 'B-7': { title: 'Emma', status: 'free' } } },
    tools: {
      get_book: [
        { when: { call: 1 }, error: 'Busy. Try again.', delay_ms: 50 },
        { respond: { $state: '/books/{book}' } },
      ],
      lend_book: [
        {
          effects: [
            { op: 'replace', path: '/books/{book}/status', value: 'lent' },
            { op: 'add', path: '/books/{book}/member', value: { $argument: '/member' } },
          ],
          respond: { status: 'lent' },
        },
      ],
    },
  },
  test_cases: ['M-1', 'M-2'].map((member) => ({
    name: `Lend to ${member}`,
    prompt: `Please lend book B-7 to member ${member}.`,
    conversation: {
      user: { turns: ['Thank you!'] },
      goal: {
        calls: [{ tool: 'get_book' }, { tool: 'lend_book', params: { book: 'B-7', member } }],
        state: { '/books/B-7/member': member },
        answer: [{ contains: ['lent', 'borrowed'] }],
      },
    },
  })),
};

const playedIn = ({ case_name, exchange }: any): string => `${case_name} ${JSON.stringify(exchange.conversation)}`;

it('a conversation is scored from all of its replies, as if it were played', async () => {
  const models = ['follows-rules', 'gives-up', 'claims-success'];
  await client.post('/api/providers', { key: 'talk', base_url: `${system.simulator.url}/v1`, models });
  const suite = await suiteOf(LIBRARY);
  const live = await untilRunEnded(
    client,
    (await client.post('/api/tool-eval', { suite_id: suite, models: models.map((id) => `talk::${id}`) })).body.eval_id,
  );
  const detailsOf = async (id: string, query = ''): Promise<any[]> =>
    Promise.all(
      (await resultsOf(id, query)).map(
        async (one: any) => (await client.get(`/api/tool-eval/history/${id}/results/${one.id}`)).body,
      ),
    );
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-recorded-'));
  for (const [index, model] of models.entries()) {
    const before = await detailsOf(live.id, `&model=${encodeURIComponent(`talk::${model}`)}`);
    const file = lines(before.map(({ case_name, exchange }) => ({ case: case_name, rounds: exchange.replies })));
    writeFileSync(join(folder, model), file);
    const { stdout } = await toolmark(['record', suite, '--target', model, '--in', join(folder, model), '--json']);
    const { eval_id: id, warnings } = JSON.parse(stdout);
    expect(warnings).toEqual([]);
    const { summaries } = await untilRunEnded(client, id);
    expect(summaries[0].metrics).toEqual(live.summaries[index].metrics);
    const after = await detailsOf(id);
    expect(verdicts(after)).toEqual(verdicts(before));
    expect(after.map(playedIn).sort()).toEqual(before.map(playedIn).sort());
    if (index > 0) continue;
    const { job_id } = (await client.post(`/api/tool-eval/history/${id}/rescore`, {})).body;
    expect(await untilJobCompleted(client, job_id)).toMatchObject({ progress: { done: 2, errored: 0 } });
  }
  expect(live.summaries.map(({ passed }: any) => passed)).toEqual([2, 0, 0]);
}, 60_000);

it('a conversation whose rules break a bound is errored, also if its replies were made elsewhere', async () => {
  const copies = [{ effects: [{ op: 'copy', from: '/book', path: '/again' }] }];
  const suite = await suiteOf({
    ...LIBRARY,
    conversation: { state: { book: 'x'.repeat(200_000) }, tools: { get_book: copies } },
    test_cases: [{ name: 'copies', prompt: 'Lend it.', conversation: { goal: { calls: [{ tool: 'get_book' }] } } }],
  });
  const asks = { type: 'function', function: { name: 'get_book', arguments: '{"book":"B-7"}' } };
  const rounds = [{ role: 'assistant', content: null, tool_calls: [{ id: 'c', ...asks }] }, 'It is lent.'];
  const { body } = await record(suite, 'agent', lines([{ case: 'copies', rounds }]), {
    metrics: '[{"id":"toolmark.conversation"}]',
  });
  expect(await untilRunEnded(client, body.eval_id)).toMatchObject({ counts: { settled: 1, errored: 1 } });
  const [{ error }] = await resultsOf(body.eval_id);
  expect(error).toEqual({
    kind: 'conversation',
    message: expect.stringMatching(/^Rule 1 of get_book answers call 1 /),
  });
}, 60_000);

it('a recorded run is scored completely, each item once, despite a dead worker, a cancel and a resume', async () => {
  const suite = await suiteOf(weatherSuite(40));
  const file = Array.from({ length: 40 * 50 }, (_, n) => ({
    case: `case ${n % 40}`,
    reply: call(n % 2 ? 'Paris' : 'Rome'),
  }));
  const lane = async () => (await client.get('/api/lanes')).body.items.find(({ name }: any) => name === 'recorded');
  const { body } = await record(suite, 'agent', lines(file));
  const settled = async (): Promise<number> => (await run(body.eval_id)).counts.settled;
  await until(async () => (await settled()) > 0, { what: 'the first items' });
  expect((await client.post(`/api/lanes/${(await lane()).id}/pause`)).status).toBe(200);
  await system.workers[0]!.kill('SIGKILL');
  expect((await client.post(`/api/jobs/${body.job_id}/cancel`)).status).toBe(202);
  const cancelled = await settled();
  expect(cancelled).toBeLessThan(2000);
  const { status } = await client.post(`/api/tool-eval/history/${body.eval_id}/resume`);
  expect(status).toBe(202);
  expect(await lane()).toMatchObject({ providers: [], paused_at: expect.any(String), backlog: 2000 - cancelled });
  expect((await client.post(`/api/lanes/${(await lane()).id}/resume`)).status).toBe(200);
  const done = await untilRunEnded(client, body.eval_id);
  expect(done).toMatchObject({
    status: 'completed',
    counts: { total: 2000, settled: 2000, errored: 0, passed: 1000 },
    targets: [{ recorded: true }],
  });
  await system.startWorker();
}, 120_000);

it('toolmark record sends a file, or standard input, and shows the outcome', async () => {
  const suite = await suiteOf(weatherSuite(2));
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-recorded-'));
  const file = join(folder, 'replies.jsonl');
  writeFileSync(
    file,
    lines([
      { case: 'case 0', reply: CALLED },
      { case: 'case 1', reply: 'no' },
    ]),
  );
  const watched = await toolmark(['record', suite, '--target', 'my agent', '--in', file, '--watch']);
  expect([watched.stderr, watched.stdout]).toEqual(['', expect.stringMatching(/recorded::my agent +50\.0 %/)]);
  const piped = await toolmark(
    ['record', suite, '--target', 'piped', '--json'],
    lines([{ case: 'case 0', reply: CALLED }]),
  );
  expect(JSON.parse(piped.stdout)).toMatchObject({ replies: 1, eval_id: expect.any(String) });
  const refused = await toolmark(
    ['record', suite, '--target', 'x'],
    '{"case": "case 9", "reply": "a"}\n{"case": "case 0"}',
  );
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Line 1: case names no case[^]*Line 2: must have one of reply, rounds, error/),
  });
  expect((await toolmark(['record', suite, '--target', 'x', '--in', join(folder, 'none')])).stderr).toMatch(/No file/);
}, 60_000);
