import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { joinApi } from '../api.js';
import { clientOf, type Client } from '../client.js';
import { startEndpoint } from '../endpoint.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
let honest: Client;
let provider: Server;
let providerUrl: string;
/** The hostile provider's current response, and the number of its requests. */
let answer: (body: any) => { status?: number; headers?: Record<string, string>; body: unknown };
let asked = 0;

beforeAll(async () => {
  system = await joinSystem();
  honest = (await joinApi()).client;
  await honest.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [{ id: 'perfect-ish' }],
  });
  provider = createServer((request, response) => {
    let text = '';
    request
      .setEncoding('utf8')
      .on('data', (piece: string) => (text += piece))
      .on('end', () => {
        asked++;
        const { status = 200, headers, body } = answer(JSON.parse(text));
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(typeof body === 'string' ? body : JSON.stringify(body));
      });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => provider.close());

let names = 0;
const suite = async (client: Client, cases = 4, expected: object = {}): Promise<string> => {
  const { body } = await client.get('/api/tool-eval/import/example');
  body.name = `hostile ${names++}`;
  body.test_cases = Array.from({ length: cases }, (_, n) => ({
    prompt: `What is the weather in Berlin, the ${n}th time?`,
    expected_tool: 'get_weather',
    ...expected,
  }));
  return client.importSuite(body);
};
const submit = async (client: Client, models: string[], more: object = {}): Promise<string> => {
  const made = await client.post('/api/tool-eval', {
    suite_id: await suite(client),
    models,
    cache: 'off',
    tool_choice: 'auto',
    ...more,
  });
  expect(made.status).toBe(202);
  return made.body.eval_id;
};
const results = async (client: Client, id: string): Promise<any[]> =>
  (await client.get(`/api/tool-eval/history/${id}/results`)).body.items;

/** A provider on a separate lane. */
async function hostileModel(kind: string, prices: object = {}): Promise<string> {
  const key = `hostile-${names++}`;
  asked = 0;
  await system.client.post('/api/providers', {
    key,
    kind,
    base_url: kind === 'openai' ? `${providerUrl}/v1` : providerUrl,
    api_key: `sk-${key}-0123456789`,
    models: [{ id: 'm', ...prices }],
    limits: { max_concurrency: 4 },
  });
  return `${key}::m`;
}
const hostileRun = async (kind: string): Promise<string> => submit(system.client, [await hostileModel(kind)]);

it('an error text with U+0000 errors its items, each requested once, and no worker is reported dead', async () => {
  answer = () => ({ status: 400, body: { error: { message: 'no\0good' } } });
  const id = await hostileRun('openai');
  const beside = await submit(honest, ['sim::perfect-ish']);
  await Promise.all([untilRunCompleted(system.client, id), untilRunCompleted(honest, beside)]);
  expect(
    (await results(system.client, id)).map(({ error, attempts }) => [
      error.kind,
      attempts,
      /nogood/.test(error.message),
    ]),
  ).toEqual(Array(4).fill(['bad_request', 1, true]));
  expect(asked).toBe(4);
});

it('false usage figures are ignored: items are scored, and costs and spending stay correct', async () => {
  const lies: Record<string, unknown>[] = [
    { input_tokens: 2147483647, cache_creation_input_tokens: 2147483647, output_tokens: 1000 },
    { input_tokens: -7, cache_read_input_tokens: -1e9, output_tokens: 1000 },
    { input_tokens: 2 ** 53, output_tokens: 1000, cost: 1e300 },
    { input_tokens: 'many', output_tokens: '1000', cost: '-3' },
    {},
  ];
  let next = 0;
  answer = () => ({
    body: {
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Sunny.' }],
      usage: lies[next++ % lies.length],
    },
  });
  const model = await hostileModel('anthropic', { input_cost_per_mtok: 1, output_cost_per_mtok: 1 });
  const { spent_usd: before } = (await system.client.get('/api/settings/spending')).body;
  const id = await submit(system.client, [model], { suite_id: await suite(system.client, lies.length) });
  const run = await untilRunCompleted(system.client, id);
  const reported = (await results(system.client, id)).map(({ outcome, usage, cost_usd }) => [
    outcome,
    usage.prompt_tokens,
    usage.completion_tokens,
    cost_usd,
  ]);
  const ofReply = ['scored', null, 1000, 0.001];
  const uncounted = ['scored', null, null, null];
  expect(reported.sort()).toEqual([ofReply, ofReply, ofReply, uncounted, uncounted].sort());
  expect(asked).toBe(lies.length);
  expect(run.actual.cost_usd).toBeCloseTo(0.003, 9);
  expect(run.warnings).toContainEqual(expect.objectContaining({ code: `uncounted:${model}` }));
  const { spent_usd: spent } = (await system.client.get('/api/settings/spending')).body;
  expect(spent - before).toBeCloseTo(0.003, 9);
});

it('a Retry-After of a million years waits a quarter of an hour, and lanes stay readable', async () => {
  answer = () => ({
    status: 429,
    headers: { 'retry-after-ms': '100000000000000000000' },
    body: { error: { message: 'later' } },
  });
  const id = await hostileRun('openai');
  await until(
    async () => (await system.client.get('/api/lanes')).body.items.some((lane: any) => lane.now?.blocked_until),
    { what: 'the lane to be blocked' },
  );
  const lanes = await system.client.get('/api/lanes');
  expect(lanes.status).toBe(200);
  const [blocked] = lanes.body.items.filter((lane: any) => lane.now?.blocked_until);
  expect(Date.parse(blocked.now.blocked_until) - Date.now()).toBeLessThanOrEqual(15 * 60_000 + 1000);
  await untilRunCompleted(honest, await submit(honest, ['sim::perfect-ish']));
  await system.client.post('/api/tool-eval/cancel', {
    job_id: (await system.client.get(`/api/tool-eval/history/${id}`)).body.job_id,
  });
});

it('an item that throws is settled once as internal, and a resume scores its stored reply', async () => {
  answer = () => ({
    body: {
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    },
  });
  const lane = async (paused: boolean) => {
    const { body } = await system.client.get('/api/lanes');
    for (const { id } of body.items) await system.client.post(`/api/lanes/${id}/${paused ? 'pause' : 'resume'}`);
  };
  const model = await hostileModel('openai');
  await lane(true);
  const id = await submit(system.client, [model]);
  // Corrupts the stored copies of cases, as no release would: one cannot be built, one cannot be scored.
  const spoil = (position: number, body: string) =>
    system.sql.query(
      `UPDATE suite_version_case c SET body = $3 FROM run r WHERE r.id = $1 AND c.version_id = r.suite_version_id
        AND c.position = $2`,
      [id, position, body],
    );
  const scored = (pattern: string) =>
    JSON.stringify({
      prompt: 'What is the weather in Berlin?',
      expected_tool: 'get_weather',
      expected_params: { city: pattern },
      param_scoring: 'regex',
    });
  await spoil(
    0,
    JSON.stringify({ prompt: 'What is the weather in Berlin?', expected_tool: 'get_weather', tools: [5] }),
  );
  await spoil(1, scored('('));
  await lane(false);
  await untilRunCompleted(system.client, id);
  const found = (await results(system.client, id)).sort((a, b) => a.id.localeCompare(b.id));
  expect(found.map(({ outcome, error, attempts }) => [outcome, error?.kind, attempts])).toEqual([
    ['errored', 'internal', 0],
    ['errored', 'internal', 1],
    ['scored', undefined, 1],
    ['scored', undefined, 1],
  ]);
  expect(found[1].usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3 });
  expect(asked).toBe(3);

  await spoil(0, scored('Ber.*'));
  await spoil(1, scored('Ber.*'));
  // Workers cache suite versions, because they do not change.
  await Promise.all(system.workers.splice(0).map((worker) => worker.stop()));
  await system.startWorker();
  await system.startWorker();
  await system.client.post(`/api/tool-eval/history/${id}/resume`);
  await untilRunCompleted(system.client, id);
  expect((await results(system.client, id)).map(({ outcome, passed }) => [outcome, passed])).toEqual(
    Array(4).fill(['scored', true]),
  );
  expect(asked).toBe(4); // for the case that could not be built
}, 120_000);

it('results of one team that cannot be stored do not block those of other teams', async () => {
  await system.client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [{ id: 'slow-1500' }],
    limits: { max_concurrency: 20 },
  });
  const id = await submit(system.client, ['sim::slow-1500'], { samples: 5 });
  const inHand = 'SELECT 1 FROM in_flight WHERE run_id = $1 AND worker IS NOT NULL GROUP BY worker';
  await until(async () => (await system.sql.query(inHand, [id])).rowCount === 2, {
    what: 'both workers to have items in hand',
  });
  const client = await system.sql.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [id]);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query ILIKE '%settle_items%'`;
    await until(async () => (await system.sql.query(waiting)).rowCount === 2, {
      what: 'both workers to wait with their results',
    });
    await untilRunCompleted(honest, await submit(honest, ['sim::perfect-ish'], { samples: 5 }));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect((await untilRunCompleted(system.client, id)).counts).toMatchObject({ settled: 20, errored: 0 });
}, 90_000);

it('items that wait for a turn or a retry are not marked as begun; items with a request are', async () => {
  const noted = async (id: string): Promise<boolean[]> => {
    const leases = async () =>
      (
        await system.sql.query<{ until: string; begun: boolean }>(
          `SELECT lease_until::text AS until, begun FROM in_flight WHERE run_id = $1 AND worker IS NOT NULL
            ORDER BY begun, item`,
          [id],
        )
      ).rows;
    const renewed = async (before: { until: string }[]): Promise<{ until: string; begun: boolean }[]> =>
      until(
        async () => {
          const now = await leases();
          return now.length === before.length && now.every((one) => before.every((other) => other.until < one.until))
            ? now
            : undefined;
        },
        { what: 'two heartbeats' },
      );
    await until(async () => (await leases()).length >= 2, { what: 'items in hand' });
    return (await renewed(await renewed(await leases()))).map(({ begun }) => begun);
  };
  await system.client.post('/api/providers', {
    key: 'one',
    base_url: `${system.simulator.url}/v1`,
    api_key: 'sk-one-0123456789',
    models: [{ id: 'slow-20000' }],
    limits: { max_concurrency: 1 },
  });
  answer = () => ({ status: 503, headers: { 'retry-after': '600' }, body: { error: { message: 'later' } } });
  const asking = await submit(system.client, ['one::slow-20000']);
  const trying = await hostileRun('openai');
  await until(async () => (await system.requests('slow-20000')) === 1, { what: 'one item to be asked' });
  await until(() => asked === 4, { what: 'all items to be refused' });
  const [begun, tried] = await Promise.all([noted(asking), noted(trying)]);
  expect(begun.filter((isBegun) => isBegun)).toEqual([true]);
  expect(tried).toEqual([false, false, false, false]);
  for (const id of [asking, trying])
    await system.client.post('/api/tool-eval/cancel', {
      job_id: (await system.client.get(`/api/tool-eval/history/${id}`)).body.job_id,
    });
}, 90_000);

it('a team whose embedding model never answers does not block the embeddings of others', async () => {
  const semantic = async (
    client: Client,
    key: string,
    { url, model, embeddings, cases }: { url: string; model: string; embeddings: string; cases: number },
  ): Promise<string> => {
    await client.post('/api/providers', {
      key,
      base_url: url,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: 100 },
      models: [{ id: model }, { id: embeddings }],
    });
    await client.put('/api/settings/embedding', { provider_key: key, model_id: embeddings });
    const suite_id = await client.importSuite({
      name: key,
      tools: (await client.get('/api/tool-eval/import/example')).body.tools,
      test_cases: Array.from({ length: cases }, (_, n) => ({
        prompt: `What is the weather in Berlin? ${n}`,
        expected_tool: 'get_weather',
        expected_params: { city: `The capital of Germany, ${n}` },
        param_scoring: 'semantic',
      })),
    });
    return (await client.post('/api/tool-eval', { suite_id, models: [`${key}::${model}`], cache: 'off' })).body.eval_id;
  };
  // Replies arrive one after another, so each needs separate embeddings, which never arrive.
  let [replies, hanging] = [0, 0];
  const reply = JSON.stringify({
    choices: [
      {
        message: {
          role: 'assistant',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Berlin"}' } },
          ],
        },
      },
    ],
  });
  const silent = createServer((request, response) => {
    request.resume();
    if (request.url!.endsWith('/embeddings')) hanging++;
    else setTimeout(() => response.setHeader('content-type', 'application/json').end(reply), 15 * replies++);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const hung = await semantic(system.client, 'silent', {
      url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`,
      model: 'm',
      embeddings: 'embed',
      cases: 80,
    });
    await until(() => hanging >= 8 && replies === 80, {
      what: 'as many embeddings to hang as a worker asks for at a time',
    });
    const beside = await semantic(honest, 'own', {
      url: `${system.simulator.url}/v1`,
      model: 'perfect-ish',
      embeddings: 'embeddings',
      cases: 10,
    });
    await untilRunCompleted(honest, beside);
    expect((await results(honest, beside)).every(({ outcome }) => outcome === 'scored')).toBe(true);
    await system.client.post('/api/tool-eval/cancel', {
      job_id: (await system.client.get(`/api/tool-eval/history/${hung}`)).body.job_id,
    });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
}, 120_000);

it('items that crash processes block nobody, neither queued nor while they are played', async () => {
  const suspects = async (id: string): Promise<void> => {
    await until(
      async () =>
        (await system.sql.query('SELECT 1 FROM in_flight WHERE run_id = $1 AND worker IS NOT NULL', [id])).rowCount ===
        4,
      { what: 'four items in hand' },
    );
    await system.sql.query(
      `UPDATE in_flight SET crashes = 2, lost = 2, token = nextval('delivery_token'), worker = NULL, lease_until =
        NULL, queued_at = '-infinity' WHERE run_id = $1`,
      [id],
    );
    await until(
      async () =>
        (await system.sql.query('SELECT 1 FROM in_flight WHERE run_id = $1 AND worker IS NOT NULL', [id])).rowCount ===
        4,
      { what: 'them to be claimed again' },
    );
  };
  answer = () => ({ status: 429, headers: { 'retry-after': '600' }, body: { error: { message: 'later' } } });
  const waiting = await hostileRun('openai');
  await suspects(waiting);
  await untilRunCompleted(honest, await submit(honest, ['sim::perfect-ish']));

  let answers = false;
  answer = () =>
    answers
      ? { body: { choices: [{ message: { role: 'assistant', content: 'Sunny.' } }] } }
      : { status: 503, headers: { 'retry-after': '10' }, body: { error: { message: 'not yet' } } };
  const apart = await hostileRun('openai');
  await suspects(apart);
  answers = true;
  const beside = await submit(honest, ['sim::perfect-ish']);
  await Promise.all([untilRunCompleted(honest, beside), untilRunCompleted(system.client, apart)]);
  expect((await results(system.client, apart)).map(({ outcome }) => outcome)).toEqual(Array(4).fill('scored'));
  await system.client.post('/api/tool-eval/cancel', {
    job_id: (await system.client.get(`/api/tool-eval/history/${waiting}`)).body.job_id,
  });
}, 150_000);

describe('the toolmark command', () => {
  const odd = '\u001b]0;pwned\u0007\u001b[2J\u009b31m\u007f\u202e\u2066\r\nFAIL  forged\tget';
  const shown = '\\u001b]0;pwned\\u0007\\u001b[2J\\u009b31m\\u007f\\u202e\\u2066\\u000d\\u000aFAIL  forged\\u0009get';
  const commands = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-terminal-'));
  const file = join(folder, 'suite.json');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The built command, with a terminal as its output if `isTTY`. */
  const toolmark = (args: string[], { isTTY = false } = {}) =>
    new Promise<{ code: number | null; out: string; err: string }>((ended) => {
      const terminal = `data:text/javascript,${encodeURIComponent(
        'for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, ' +
          'columns: 400, rows: 40 });',
      )}`;
      const child = spawn(resolve('node_modules/.bin/node'), [
        ...(isTTY ? ['--import', terminal] : []),
        resolve('dist/apps/cli/main.js'),
        ...args,
        '--server',
        system.client.url,
        '--token',
        system.client.token,
      ]);
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      child.on('close', (code) => ended({ code, out, err }));
    });

  it('shows control characters of models, suites and servers without sending them to the terminal', async () => {
    answer = () => ({
      body: {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c', type: 'function', function: { name: odd, arguments: JSON.stringify({ location: odd }) } },
              ],
            },
          },
        ],
      },
    });
    const key = `hostile-${names++}`;
    await system.client.post('/api/providers', {
      key,
      base_url: `${providerUrl}/v1`,
      models: [{ id: odd, unsupported_params: ['temperature'] }],
    });
    const { body } = await system.client.get('/api/tool-eval/import/example');
    const test = { prompt: odd, expected_tool: 'get_weather', expected_params: { location: odd } };
    writeFileSync(file, JSON.stringify({ ...body, name: odd, test_cases: [{ ...test, name: odd }, test, test] }));

    const run = await toolmark(['run', file, '--models', `${key}::${odd}`, '--cache', 'off', '--watch'], {
      isTTY: true,
    });
    expect(run.code).toBe(0);
    expect(run.out).toContain(`${key}::${shown}`);
    // The command itself moves the cursor back over its bars.
    expect(run.err).toContain('\u001b[1A\u001b[J');
    const bars = run.err.replaceAll(/\u001b\[\d+A\u001b\[J/g, '');
    expect(bars).toContain(`${key}::${shown}`);
    expect(bars).toContain('Warning: 1 prompts occur more than once');
    const warning = `Warning: ${key}::${shown} does not support "temperature"; it was left out.`;
    expect(bars.split(warning)).toHaveLength(2);
    const [, id] = /Run (\S+) is completed/.exec(run.out)!;

    const failed = await toolmark(['results', id!, '--failed']);
    expect(failed.err).toContain(warning);
    expect(failed.out).toContain(`  ${shown}  unknown_tool`);
    expect(failed.out).toContain(`calls "${shown}"`);
    const listed = await toolmark(['suites', 'list']);
    expect(listed.out).toContain(`  ${shown}  v1`);
    const refused = await toolmark(['run', file, '--models', `${odd}::x`]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(shown) });
    const unknown = await toolmark([odd]);
    expect(unknown.err).toContain(`unknown command '${shown}'`);
    const wrongOption = await toolmark([`--${odd}`]);
    expect(wrongOption.err).toContain(shown);
    const printed = [run.out, bars, failed.out, failed.err, listed.out, refused.err, unknown.err, wrongOption.err];
    for (const text of printed) expect(text).not.toMatch(commands);
    expect(
      printed
        .join('')
        .split('\n')
        .filter((line) => line.startsWith('FAIL') && !line.includes('unknown_tool')),
    ).toEqual([]);
  }, 120_000);

  it('prints JSON as plain text that parses to the same value, and files unchanged except on a terminal', async () => {
    const imported = await toolmark(['suites', 'import', file]);
    const [, id] = /as suite (\S+)/.exec(imported.out)!;
    const suite = (await system.client.get(`/api/tool-suites/${id}/export?format=json`)).body;
    expect(suite.name).toBe(odd);
    for (const args of [
      ['suites', 'export', id!],
      ['suites', 'list', '--json'],
      ['suites', 'import', file, '--dry-run'],
    ]) {
      const { out } = await toolmark(args);
      expect(out).not.toMatch(commands);
      expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(odd));
    }
    expect(JSON.parse((await toolmark(['suites', 'export', id!])).out)).toEqual(suite);
    const csv = await toolmark(['suites', 'export', id!, '--format', 'csv']);
    expect(csv.out).toContain(odd.slice(0, 20));
    const looked = await toolmark(['suites', 'export', id!, '--format', 'csv'], { isTTY: true });
    expect(looked.out.replaceAll('\r\n', '\n').replaceAll('\t', '')).not.toMatch(commands);
    expect(looked.out.length).toBeGreaterThan(csv.out.length);

    const line = join(folder, 'lines.jsonl');
    writeFileSync(line, `${JSON.stringify({ id: odd, metric: odd, input: {} })}\n`);
    const scored = await toolmark(['score', '--in', line]);
    expect(scored.out).not.toMatch(commands);
    expect(JSON.parse(scored.out)).toMatchObject({ id: odd, metric: odd, error: expect.stringContaining(odd) });
  }, 60_000);
});

it('rescores of many teams with a hanging embedding model block no step of another team', async () => {
  const silent = await startEndpoint(); // It answers nothing before the test does.
  const sim = { key: 'sim', base_url: `${system.simulator.url}/v1`, models: [{ id: 'perfect-ish' }] };
  const hanging = { key: 'silent', base_url: silent.url, models: [{ id: 'e' }] };
  const rescore = async (client: Client, options: object): Promise<string> => {
    const suiteId = await suite(client, 1, { expected_params: { city: 'the capital of Germany' } });
    const evalId = await submit(client, ['sim::perfect-ish'], { suite_id: suiteId });
    await untilRunCompleted(client, evalId);
    return (await client.post(`/api/tool-eval/history/${evalId}/rescore`, options)).body.job_id;
  };
  // More teams than each worker once had connections for steps.
  const teams = await Promise.all(
    Array.from({ length: 9 * system.workers.length }, async (_, n) => {
      const { token } = (await system.operator.post('/api/teams', { name: `hanging ${names} ${n}` })).body;
      const client = clientOf(system.client.url, token.token);
      for (const provider of [sim, hanging]) await client.post('/api/providers', provider);
      await client.put('/api/settings/embedding', { provider_key: 'silent', model_id: 'e' });
      return client;
    }),
  );
  await Promise.all(teams.map((client) => rescore(client, { param_scoring: 'semantic' })));
  await until(() => silent.waiting().length >= teams.length, { what: 'all of them to wait for the model' });
  const own = await rescore(honest, { param_scoring: 'exact' });
  const done = async () => (await honest.get(`/api/jobs/${own}`)).body.status === 'completed';
  await until(done, { what: 'the rescore of another team' });
});
