import { parseJson } from '#lib/contracts/json/json';
import { ProviderKind } from '#lib/contracts/provider';
import { suiteNamesByWireName } from '#lib/providers/formats/formats';
import { FORMATS } from '../../apps/simulator/formats/formats.js';
import type { Client } from '../client.js';
import { startHttpServer } from '../http-server.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunCompleted } from '../until-ended.js';

const KINDS = ProviderKind.options;
const MODELS = [
  'perfect-ish',
  'careless-arguments',
  'wrong-tool',
  'text-only',
  'unknown-tool',
  'parallel',
  'json-in-content',
  'content-filter',
  'no-required',
  'flaky-30',
  'overloaded',
  'wrong-key',
  'html-error',
  'nobody-knows-me',
];
/** Models that name tools in every possible place. */
const NAMING = ['perfect-ish', 'json-in-content', 'json-in-name', 'unknown-tool'];
const SCRIPTED = ['scripted:chain', 'scripted:names'];

let client: Client;
let simulator: TeamSystem['simulator'];
let sql: TeamSystem['sql'];
let scripted: (id: string, replies: object[]) => Promise<unknown>;
let requests: TeamSystem['requests'];
beforeAll(async () => {
  const system = await joinSystem();
  ({ client, simulator, sql, requests } = system);
  scripted = (id, replies) => system.script(id, { replies });
  for (const kind of KINDS) {
    const models = [...new Set([...MODELS, ...NAMING]), ...SCRIPTED.map((id) => `${id}-${kind}`)].map((id) => ({
      id,
      input_cost_per_mtok: 1,
      output_cost_per_mtok: 1,
    }));
    const made = await client.post('/api/providers', {
      key: kind,
      kind,
      base_url: simulator.url + (kind === 'openai' ? '/v1' : FORMATS[kind].basePath),
      api_key: 'sk-any-key-0123456789',
      limits: { max_concurrency: 20 },
      models,
    });
    expect(made).toMatchObject({ status: 201, body: { kind } });
  }
});

const tool = (name: string, description: string, properties: object, required: string[]) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});
const suite = {
  name: 'All formats',
  system_prompt: 'Use the tools.',
  tools: [
    tool(
      'get_weather',
      'Get current weather for a city',
      { city: { type: 'string' }, units: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      ['city'],
    ),
    tool('send_email', 'Send an e-mail', { to: { type: 'string' }, subject: { type: 'string' } }, ['to']),
    tool('set_timer', 'Set a timer', { minutes: { type: 'number', default: 5 } }, ['minutes']),
  ],
  test_cases: [
    {
      name: 'weather',
      prompt: 'What is the weather in Paris in celsius?',
      expected_tool: 'get_weather',
      expected_params: { city: 'Paris', units: 'celsius' },
    },
    {
      name: 'mail',
      prompt: 'Send an e-mail to ann@example.com',
      expected_tool: 'send_email',
      expected_params: { to: 'ann@example.com' },
    },
    {
      name: 'timer',
      prompt: 'Set a timer for 12 minutes',
      expected_tool: 'set_timer',
      expected_params: { minutes: 12 },
    },
    { name: 'nothing', prompt: 'Thank you, that was all.', expected_tool: null },
  ],
};

/** A result with its exchange; numbers keep their source text. */
async function wholeOf(runId: string, resultId: string): Promise<any> {
  const answer = await fetch(`${client.url}/api/tool-eval/history/${runId}/results/${resultId}`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  return parseJson(await answer.text());
}

/** Codes of a run's warnings. */
async function warningsOf(jobId: string): Promise<string[]> {
  const { rows } = await sql.query<{ code: string }>(
    `SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning'`,
    [jobId],
  );
  return rows.map(({ code }) => code);
}

async function finished(
  suiteId: string,
  models: string[],
  more: object = {},
): Promise<{ run: any; results: any[]; jobId: string }> {
  const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models, model_order: 'parallel', ...more });
  const run = await untilRunCompleted(client, body.eval_id, 100_000);
  const results: any[] = [];
  for (let cursor = ''; ;) {
    const { body: page } = await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200${cursor}`);
    results.push(...page.items);
    if (!page.next_cursor) return { run, jobId: body.job_id, results };
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

it('the same models get the same verdicts in every format', async () => {
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', suite);
  const { run, results, jobId } = await finished(
    suite_id,
    KINDS.flatMap((kind) => MODELS.map((model) => `${kind}::${model}`)),
  );
  const verdicts = (kind: string) =>
    results
      .filter((result) => result.target.startsWith(`${kind}::`))
      .map((result) => ({
        what: `${result.target.split('::')[1]} ${result.case_name}`,
        outcome: result.outcome,
        passed: result.passed,
        overall: result.overall,
        error: result.error_type ?? result.error?.kind,
        called: result.called,
        format: result.format_compliance,
        // After the first request to a missing model, its other items end without a request: which ones is random.
        choice: result.outcome === 'scored' ? result.tool_choice_used : undefined,
      }))
      .sort((a, b) => a.what.localeCompare(b.what));
  const wanted = verdicts('openai');
  expect(wanted).toHaveLength(MODELS.length * suite.test_cases.length);
  expect(new Set(wanted.map(({ outcome }) => outcome))).toEqual(new Set(['scored', 'errored']));
  expect(wanted.filter(({ passed }) => passed).length).toBeGreaterThan(10);
  for (const kind of KINDS.slice(1)) expect({ kind, verdicts: verdicts(kind) }).toEqual({ kind, verdicts: wanted });
  for (const kind of KINDS) {
    expect(run.summaries.find((summary: any) => summary.target === `${kind}::perfect-ish`)).toMatchObject({
      errored: 0,
      overall: 1,
      usage: { prompt_tokens: expect.any(Number) },
    });
  }
  // A setting that a format cannot express is announced once for each run and model.
  const warnings = await warningsOf(jobId);
  expect(new Set(warnings).size).toBe(warnings.length);
  expect(warnings).toContain('anthropic:anthropic::perfect-ish:temperature');
  expect(warnings.filter((code: string) => /^(google|openai)/.test(code))).toEqual([]);
}, 120_000);

it('the same conversation is played in every format, and numbers keep their text', async () => {
  const call = (name: string, args: string) => ({
    id: `made_${name}`,
    type: 'function',
    function: { name, arguments: args },
  });
  const replies = [
    {
      role: 'assistant',
      content: 'I will look.',
      tool_calls: [call('find_user', '{"name":"Ann"}'), call('get_rate', '{"percent":2.50}')],
    },
    { role: 'assistant', content: null, tool_calls: [call('refund', '{"order":12345678901234567890,"amount":5.0}')] },
  ];
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', {
    name: 'A chain',
    tools: ['find_user', 'get_rate', 'refund'].map((name) => tool(name, name, {}, [])),
    test_cases: [
      {
        name: 'chain',
        multi_turn: true,
        expected_tool: 'refund',
        optimal_hops: 3,
        valid_prerequisites: ['find_user', 'get_rate'],
        mock_responses: { find_user: { id: 'u-1' }, get_rate: 'unknown' },
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: 'What can I do?' },
          { role: 'user', content: 'Refund the last order of Ann.' },
        ],
      },
    ],
  });
  for (const kind of KINDS) await scripted(`chain-${kind}`, replies);
  const { results, run } = await finished(
    suite_id,
    KINDS.map((kind) => `${kind}::${SCRIPTED[0]}-${kind}`),
  );
  expect(results.map((result) => [result.target, result.outcome, result.passed, result.attempts])).toEqual(
    results.map((result) => [result.target, 'scored', true, 2]),
  );
  expect(results).toHaveLength(KINDS.length);
  for (const result of results) {
    const whole = await wholeOf(run.id, result.id);
    expect(JSON.stringify(whole.called)).toMatch(/"percent":2\.50.*"order":12345678901234567890,"amount":5\.0/);
    // The messages sent back to the model: its calls, then their results.
    const [, second] = whole.exchange.requests;
    expect(second.messages.slice(-3).map((message: any) => message.role)).toEqual(['assistant', 'tool', 'tool']);
  }
}, 60_000);

it('a tool that fails is answered in the words that a format has for it, and one that does not is not', async () => {
  const arrived: { path: string; body: any }[] = [];
  const host = await startHttpServer(({ url, method, headers }, body, response) => {
    arrived.push({ path: url!, body: JSON.parse(body) });
    const { host: _host, 'content-length': _length, connection: _connection, ...sent } = headers;
    void fetch(simulator.url + url, { method: method!, headers: sent as Record<string, string>, body }).then(
      async (answer) =>
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    );
  });
  const call = { id: 'made', type: 'function', function: { name: 'get_rate', arguments: '{}' } };
  const asks = { role: 'assistant', content: null, tool_calls: [call] };
  for (const kind of KINDS) {
    await scripted(`fails-${kind}`, [asks, asks, { role: 'assistant', content: 'It is 2 %.' }]);
    const base_url = host.url + (kind === 'openai' ? '/v1' : FORMATS[kind].basePath);
    const models = [`scripted:fails-${kind}`];
    await client.post('/api/providers', { key: `${kind}-2`, kind, base_url, api_key: 'sk-any-key-0123456789', models });
  }
  const suite_id = await client.importSuite({
    name: 'Failing tools',
    tools: [tool('get_rate', 'The rate', {}, [])],
    test_cases: [
      {
        name: 'rate',
        prompt: 'What is the rate?',
        conversation: {
          tools: { get_rate: [{ when: { call: 1 }, error: 'Try again.' }, { respond: { percent: 2 } }] },
          goal: { answer: [{ number: 2 }] },
        },
      },
    ],
  });
  const { results } = await finished(
    suite_id,
    KINDS.map((kind) => `${kind}-2::scripted:fails-${kind}`),
  );
  expect(results.map(({ passed, attempts }) => [passed, attempts])).toEqual(KINDS.map(() => [true, 3]));
  const last = (path: RegExp): any => arrived.filter((one) => path.test(one.path)).at(-1)!.body;
  const blocks = last(/messages/).messages.flatMap(({ content }: any) => content);
  expect(blocks.filter(({ type }: any) => type === 'tool_result')).toEqual([
    expect.objectContaining({ content: 'Try again.', is_error: true }),
    expect.not.objectContaining({ is_error: expect.anything() }),
  ]);
  const parts = last(/generateContent/).contents.flatMap((content: any) => content.parts);
  expect(parts.flatMap(({ functionResponse: said }: any) => (said ? [said.response] : []))).toEqual([
    { error: 'Try again.' },
    { percent: 2 },
  ]);
  const items = last(/responses/).input.filter(({ type }: any) => type === 'function_call_output');
  expect(items.map(({ output }: any) => output)).toEqual(['Error: Try again.', '{"percent":2}']);
  const messages = last(/completions/).messages.filter(({ role }: any) => role === 'tool');
  expect(messages.map(({ content }: any) => content)).toEqual(['Error: Try again.', '{"percent":2}']);
}, 60_000);

describe('tool names that hosts refuse', () => {
  const dotted = [
    tool('weather.get', 'Get current weather for a city', { city: { type: 'string' } }, ['city']),
    tool('weather_get', 'Read a station of the archive', { station: { type: 'number' } }, ['station']),
    tool('mail.send', 'Send an e-mail', { to: { type: 'string' } }, ['to']),
  ];

  it('stay unchanged in results and exchanges, are announced once, and work with the cache and rescores', async () => {
    const {
      body: { suite_id },
    } = await client.post('/api/tool-eval/import', {
      name: 'Dots',
      tools: dotted,
      test_cases: [
        {
          name: 'city',
          prompt: 'What is the current weather in the city of Paris?',
          expected_tool: 'weather.get',
          expected_params: { city: 'Paris' },
        },
        {
          name: 'mail',
          prompt: 'Send an e-mail to ann@example.com',
          expected_tool: 'mail.send',
          expected_params: { to: 'ann@example.com' },
        },
        {
          name: 'station',
          prompt: 'Read station 12 of the archive',
          expected_tool: 'weather_get',
          expected_params: { station: 12 },
        },
      ],
    });
    const targets = KINDS.flatMap((kind) => NAMING.map((model) => `${kind}::${model}`));
    const { run, results, jobId } = await finished(suite_id, targets);
    expect(results).toHaveLength(targets.length * 3);
    for (const { target, case_name, outcome, passed, called } of results) {
      const wanted = { city: 'weather.get', mail: 'mail.send', station: 'weather_get' }[case_name as string];
      const made = target.endsWith('unknown-tool');
      expect({ target, case_name, outcome, passed }).toEqual({ target, case_name, outcome: 'scored', passed: !made });
      if (made) expect(called[0].name).toMatch(/_v2$/);
      else expect(called[0].name).toBe(wanted);
    }
    const announced = KINDS.filter((kind) => kind !== 'google').flatMap((kind) =>
      NAMING.map((model) => `${kind}:${kind}::${model}:tool-names`),
    );
    expect((await warningsOf(jobId)).filter((code) => code.endsWith('tool-names')).sort()).toEqual(announced.sort());

    for (const result of results.filter(
      ({ case_name, target }) => case_name === 'city' && /::(perfect-ish|json-in-content)$/.test(target),
    )) {
      const { exchange } = await wholeOf(run.id, result.id);
      const kind = result.target.split('::')[0] as (typeof KINDS)[number];
      expect(exchange.requests[0].tools.map((one: any) => one.function.name)).toEqual(
        dotted.map((one) => one.function.name),
      );
      expect(exchange.names).toEqual(suiteNamesByWireName(kind, dotted as never));
      if (result.target.endsWith('perfect-ish'))
        expect(JSON.stringify(exchange.replies)).toMatch(/"name":"weather\.get"/);
    }

    const before = await requests();
    const again = await finished(suite_id, targets);
    expect((await requests()) - before).toBe(0);
    const verdicts = (ones: any[]) =>
      ones
        .map(({ target, case_name, passed, called, format_compliance }) => ({
          what: `${target} ${case_name}`,
          passed,
          called,
          format_compliance,
        }))
        .sort((a, b) => a.what.localeCompare(b.what));
    expect(verdicts(again.results)).toEqual(verdicts(results));
    expect(await warningsOf(again.jobId)).toEqual([]);
    const { body } = await client.post(`/api/tool-eval/history/${run.id}/rescore`, {
      scoring_config: { mode: 'contains' },
    });
    await untilJobCompleted(client, body.job_id);
    expect(
      (await client.get(`/api/tool-eval/history/${run.id}/rescores`)).body.items[0].summaries.map(
        (one: any) => one.passed,
      ),
    ).toEqual(run.summaries.map((one: any) => one.passed));
  }, 120_000);

  it('are replaced in everything a conversation sends, whatever its model makes up', async () => {
    const offered = [...dotted, tool('mail.find', 'Find an address', {}, [])];
    const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
    const {
      body: { suite_id },
    } = await client.post('/api/tool-eval/import', {
      name: 'A chain of dots',
      tools: offered,
      test_cases: [
        {
          name: 'chain',
          multi_turn: true,
          expected_tool: 'weather.get',
          mock_responses: { 'mail.find': ['first', 'second'] },
          messages: [
            { role: 'user', content: 'Find Ann with mail.find.' },
            { role: 'assistant', content: null, tool_calls: [call('before', 'mail.find'), call('gone', 'old.tool')] },
            { role: 'tool', tool_call_id: 'before', name: 'mail.find', content: 'nobody' },
            { role: 'tool', tool_call_id: 'gone', content: 'nothing' },
            { role: 'user', content: 'Then the weather.' },
          ],
        },
      ],
    });
    const sent: Record<string, Record<string, string>> = {};
    for (const kind of KINDS) {
      sent[kind] = Object.fromEntries(
        Object.entries(suiteNamesByWireName(kind, offered as never) ?? {}).map(([other, own]) => [own, other]),
      );
      const wireName = (name: string): string => sent[kind]![name] ?? name;
      await scripted(`names-${kind}`, [
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('made_0', wireName('mail.find')), call('made_1', 'made up!')],
        },
        { role: 'assistant', content: `{"name": "${wireName('mail.find')}", "arguments": {}}` },
        { role: 'assistant', content: null, tool_calls: [call('made_2', wireName('weather.get'))] },
      ]);
    }
    const targets = KINDS.map((kind) => `${kind}::${SCRIPTED[1]}-${kind}`);
    const { results, run, jobId } = await finished(suite_id, targets, { tool_choice: 'auto' });
    expect(results.map(({ target, outcome, error }) => [target, outcome, error])).toEqual(
      results.map(({ target }) => [target, 'scored', null]),
    );
    expect(results).toHaveLength(KINDS.length);
    for (const result of results) {
      expect(result.called.map((one: any) => one.name)).toEqual(['mail.find', 'made up!', 'mail.find', 'weather.get']);
      const { exchange } = await wholeOf(run.id, result.id);
      const [, second, third] = exchange.requests;
      expect(second.messages.at(-3).tool_calls.map((one: any) => one.function.name)).toEqual(['mail.find', 'made up!']);
      expect([second.messages.at(-2).content, third.messages.at(-1).content]).toEqual(['first', 'second']);
      expect(third.messages.at(-2).tool_calls[0].function.name).toBe('mail.find');
    }
    expect((await warningsOf(jobId)).filter((code) => code.endsWith('tool-names')).sort()).toEqual(
      KINDS.map((kind, index) => `${kind}:${targets[index]}:tool-names`).sort(),
    );
    const before = await requests();
    const again = await finished(suite_id, targets, { tool_choice: 'auto' });
    expect((await requests()) - before).toBe(0);
    expect(
      again.results
        .map(({ target, called, overall }) => ({ target, called, overall }))
        .sort((a, b) => a.target.localeCompare(b.target)),
    ).toEqual(
      results
        .map(({ target, called, overall }) => ({ target, called, overall }))
        .sort((a, b) => a.target.localeCompare(b.target)),
    );
  }, 60_000);
});

it('a provider that is switched to another format gets its requests in it', async () => {
  const {
    body: { suite_id },
  } = await client.post('/api/tool-eval/import', suite);
  await client.post('/api/providers', {
    key: 'turned',
    kind: 'google',
    base_url: simulator.url + FORMATS.anthropic.basePath,
    models: [{ id: 'perfect-ish' }],
  });
  expect((await client.post('/api/providers/turned/test')).body).toMatchObject({ ok: false });
  expect(await client.patch('/api/providers/turned', { kind: 'anthropic' })).toMatchObject({
    status: 200,
    body: { kind: 'anthropic' },
  });
  expect((await client.post('/api/providers/turned/test')).body).toMatchObject({ ok: true });
  const { results } = await finished(suite_id, ['turned::perfect-ish']);
  expect(results.map(({ outcome, passed }) => [outcome, passed])).toEqual(suite.test_cases.map(() => ['scored', true]));
}, 60_000);

describe.each(KINDS)('a provider of kind %s', (kind) => {
  it('can be tested, and lists its models', async () => {
    expect(await client.post(`/api/providers/${kind}/test`)).toMatchObject({
      status: 200,
      body: { ok: true, error: null },
    });
    expect((await client.get(`/api/providers/${kind}/discover`)).body.models).toEqual(
      expect.arrayContaining([{ id: 'perfect-ish' }, { id: 'scripted' }]),
    );
    await client.patch(`/api/providers/${kind}`, { api_key: 'wrong' });
    expect((await client.post(`/api/providers/${kind}/test`)).body).toMatchObject({
      ok: false,
      error: expect.stringMatching(/refused the key \(401\)/),
    });
    expect((await client.get(`/api/providers/${kind}/discover`)).body.detail).toMatch(/refused the key/);
  });
});
