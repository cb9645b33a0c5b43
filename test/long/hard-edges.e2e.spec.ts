// A private system: it searches all logs, tables, metrics and Redis values for a key.
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { startProcess, type RunningProcess } from '../processes.js';
import { SELF_SIGNED } from '../self-signed.js';
import { createDatabase, createRedis } from '../services.js';
import { untilJobCompleted, untilRunCompleted } from '../until-ended.js';

const PLANTED_KEY = 'sk-planted-0123456789-must-not-leak';
/** Does not look like a key, so only code that knows it can mask it. */
const PLAIN_KEY = 'planted0123456789mustnotleakeither';
/** The response of a server on a private address. */
const UNREADY = 'weights-are-loading';
const MODELS = [
  'html-page',
  'html-error',
  'wrong-key',
  'hangs',
  'cut-off',
  'huge',
  'invalid-utf8',
  'redirect',
  'bad-request',
  'malformed-json',
  'double-encoded',
  'json-in-content',
  'json-in-name',
  'unknown-tool',
  'parallel',
  'text-only',
  'perfect-ish',
  'nobody-knows-me',
];
const CASES = 2;

let client: Client;
let processes: RunningProcess[];
let simulator: RunningProcess;
let redis: Redis;
let sql: pg.Pool;
let run: any;
let results: any[];
const servers: Server[] = [];

beforeAll(async () => {
  const [database, store] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: store.url, LOG_LEVEL: 'trace' };
  [simulator, ...processes] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    startProcess('worker', env),
  ]);
  client = clientOf(processes[0]!.url);
  redis = new Redis(store.url);
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const untrusted = await listen(createHttpsServer(SELF_SIGNED, (_request, response) => response.end('{}')));
  // Two providers that echo the request: in an error, and in a reply.
  const telltale = await listen(
    createHttpServer((request, response) => {
      const refused = request.url!.startsWith('/refusing');
      response.writeHead(refused ? 400 : 200, {
        'content-type': 'application/json',
        'x-debug': request.headers.authorization,
      });
      const echo = `You sent ${request.headers.authorization} and nothing else`;
      response.end(
        JSON.stringify(
          refused
            ? { error: { message: echo, headers: request.headers } }
            : request.url!.startsWith('/unready')
              ? { [UNREADY]: request.headers }
              : { choices: [{ message: { role: 'assistant', content: echo } }], debug: request.headers },
        ),
      );
    }),
  );
  const models = MODELS.map((id) => ({ id, unsupported_params: id === 'text-only' ? ['temperature'] : [] }));
  const provider = (key: string, base_url: string, more: object = {}) =>
    client.post('/api/providers', {
      key,
      base_url,
      api_key: PLANTED_KEY,
      limits: { max_concurrency: 20 },
      models: [{ id: 'm' }],
      ...more,
    });
  for (const made of [
    await provider('sim', `${simulator.url}/v1`, { models }),
    await provider('no-api', `${simulator.url}/nowhere/v1`),
    await provider('nowhere', 'http://no-such-host.invalid/v1'),
    await provider('refusing', 'http://127.0.0.1:9/v1'),
    await provider('untrusted', `https://localhost:${untrusted}/v1`),
    await provider('telltale-error', `http://127.0.0.1:${telltale}/refusing/v1`, { api_key: PLAIN_KEY }),
    await provider('unready', `http://127.0.0.1:${telltale}/unready/v1`, { api_key: PLAIN_KEY }),
    await provider('telltale-reply', `http://127.0.0.1:${telltale}/v1`, { api_key: PLAIN_KEY }),
  ])
    expect(made.status).toBe(201);

  const suite_id = await client.importSuite(weatherSuite(CASES));
  const names = (await client.get('/api/providers')).body.items.flatMap((provider: any) =>
    provider.models.map((model: any) => `${provider.key}::${model.id}`),
  );
  const { body } = await client.post('/api/tool-eval', {
    suite_id,
    models: names,
    timeout_s: 10,
    model_order: 'parallel',
  });
  run = await untilRunCompleted(client, body.eval_id, 140_000);
  results = (await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200`)).body.items;
}, 180_000);
afterAll(async () => {
  for (const server of servers) server.close();
  redis.disconnect();
  await sql.end();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

describe('is an errored item with an understandable message:', () => {
  it.each([
    [
      'a base URL that answers a web page',
      'sim::html-page',
      'bad_response',
      /a web page instead of JSON\. Is the base URL right\?/,
    ],
    ['a base URL without an API behind it', 'no-api::m', 'bad_request', /answered 404.*Check the base URL/],
    ['a proxy that answers an error page', 'sim::html-error', 'provider_5xx', /answered 502: a web page/],
    ['a wrong key', 'sim::wrong-key', 'auth', /refused the key \(401\).*Check the provider's api_key/],
    ['a model that hangs', 'sim::hangs', 'timeout', /No answer within 10 s/],
    ['a reply of 20 MB', 'sim::huge', 'bad_response', /larger than 16 MiB/],
    [
      'a certificate that cannot be trusted',
      'untrusted::m',
      'network',
      new RegExp(
        'localhost:\\d+ has a certificate that cannot be trusted \\(\\w+\\)\\. ' +
          'Fix it, or add its authority with TOOLMARK_EXTRA_CA',
      ),
    ],
    ['a name that DNS does not know', 'nowhere::m', 'network', /The name no-such-host\.invalid could not be resolved/],
    ['a server that refuses connections', 'refusing::m', 'network', /refuses connections\. Is it running\?/],
    ['a redirect', 'sim::redirect', 'bad_response', /redirects to .*set base_url to the final address/],
    [
      'a local server that is not ready',
      'unready::m',
      'bad_response',
      /^The answer holds no reply of a model: it is not shown, because it comes from a private address\.$/,
    ],
    ['a model that the provider does not have', 'sim::nobody-knows-me', 'bad_request', /nobody-knows-me/],
  ])('%s', (_what, target, kind, message) => {
    const of = results.filter((result) => result.target === target);
    expect(of.map((result) => [result.outcome, result.error.kind])).toEqual(Array(CASES).fill(['errored', kind]));
    for (const { error } of of) expect(error.message).toMatch(message);
    // Errored items are not part of any mean and are counted separately.
    expect(run.summaries.find((summary: any) => summary.target === target)).toMatchObject({
      scored: 0,
      errored: CASES,
      overall: null,
    });
  });
});

describe('is a scored reply:', () => {
  it.each([
    ['one that is cut off at max_tokens', 'sim::cut-off', 'cut_off', false],
    ['one whose text is not UTF-8, beside a right call', 'sim::invalid-utf8', 'none', true],
    ['arguments that are not JSON', 'sim::malformed-json', 'malformed_arguments', false],
    ['arguments that are encoded twice', 'sim::double-encoded', 'none', true],
    ['a call written into the text', 'sim::json-in-content', 'none', true],
    ['a call written into the name', 'sim::json-in-name', 'none', true],
    ['a tool that does not exist', 'sim::unknown-tool', 'unknown_tool', false],
    ['the right call and more', 'sim::parallel', 'none', true],
    ['text instead of a call', 'sim::text-only', 'no_call', false],
    ['a 400 that quotes what the model wrote', 'sim::bad-request', 'malformed_arguments', false],
  ])('%s', (_what, target, errorType, passed) => {
    expect(
      results
        .filter((result) => result.target === target)
        .map((result) => [result.outcome, result.error_type, result.passed]),
    ).toEqual(Array(CASES).fill(['scored', errorType, passed]));
  });
});

it('none of these fails the run or leaves a worker or permit stuck', async () => {
  expect(run).toMatchObject({ status: 'completed', counts: { total: results.length, settled: results.length } });
  expect((await sql.query('SELECT count(*)::int AS n FROM in_flight')).rows[0].n).toBe(0);
  const again = (
    await client.post('/api/tool-eval', { suite_id: run.suite.id, models: ['sim::perfect-ish'], samples: 20 })
  ).body;
  await untilJobCompleted(client, again.job_id);
  expect((await client.get(`/api/tool-eval/history/${again.eval_id}`)).body.counts).toMatchObject({
    settled: 20 * CASES,
    errored: 0,
  });
}, 60_000);

it('the raw answer of a local server without a reply is shown to owners with the result, nowhere else', async () => {
  const { id } = results.find((result) => result.target === 'unready::m');
  const path = `/api/tool-eval/history/${run.id}/results/${id}`;
  const { said, exchange } = (await client.get(path)).body;
  expect(said).toEqual([]);
  expect(exchange.replies.at(-1).error).toMatchObject({ body: null, private_body: expect.stringContaining(UNREADY) });
  expect(exchange.replies.at(-1).error.private_body).toContain('Bearer [hidden]');
  const { token } = (await client.post('/api/tokens', { name: 'e', role: 'editor', user: 'editor' })).body;
  const editor = clientOf(client.url, token);
  const tried = { case: weatherSuite(1).test_cases[0], suite_id: run.suite.id, models: ['unready::m'] };
  const [ofOwner, ofEditor] = await Promise.all(
    [client, editor].map(async (reader) => JSON.stringify((await reader.post('/api/tool-eval/try', tried)).body)),
  );
  expect(ofOwner).toContain(UNREADY);
  const others = [ofEditor, JSON.stringify((await editor.get(path)).body)];
  for (const format of ['json', 'jsonl', 'csv', 'junit'])
    others.push(JSON.stringify((await client.get(`/api/tool-eval/history/${run.id}/export?format=${format}`)).body));
  others.push((await sql.query(`SELECT string_agg(t::text, '') AS text FROM job_event t`)).rows[0].text);
  others.push(...[...processes, simulator].map((process) => process.logs()));
  expect(others.filter((text) => text!.includes(UNREADY))).toEqual([]);
}, 60_000);

it('settings that a model does not support are left out, with a warning', async () => {
  const warnings = (
    await sql.query(`SELECT data::json ->> 'message' AS text FROM job_event WHERE name = 'eval_warning'`)
  ).rows.map((row) => row.text);
  expect(warnings).toEqual(['sim::text-only does not support "temperature"; it was left out.']);
});

it('a key that a provider repeats is in no log, response, event, result, export, metric or Redis value', async () => {
  const seen: string[] = [
    ...[...processes, simulator].map((process) => process.logs()),
    JSON.stringify(await client.get('/api/providers')),
  ];
  for (const process of processes) seen.push(await (await fetch(`${process.url}/metrics`)).text());
  for (const { id } of (await client.get('/api/tool-eval/history')).body.items) {
    for (const format of ['json', 'jsonl', 'csv', 'junit'])
      seen.push(JSON.stringify((await client.get(`/api/tool-eval/history/${id}/export?format=${format}`)).body));
    for (const result of (await client.get(`/api/tool-eval/history/${id}/results?limit=200`)).body.items) {
      seen.push(JSON.stringify((await client.get(`/api/tool-eval/history/${id}/results/${result.id}`)).body));
    }
  }
  for (const key of ['sim', 'untrusted', 'telltale-error', 'telltale-reply'])
    seen.push(
      JSON.stringify([
        await client.post(`/api/providers/${key}/test`),
        await client.get(`/api/providers/${key}/discover`),
      ]),
    );
  const tables = (
    await sql.query(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
  ).rows.map((row) => row.relname as string);
  expect(tables).toContain('exchange_default');
  for (const table of tables)
    seen.push(
      (await sql.query(`SELECT coalesce(string_agg(t::text, E'\n'), '') AS text FROM "${table}" t`)).rows[0].text,
    );
  for (const key of await redis.keys('*'))
    seen.push(key, ((await redis.dumpBuffer(key)) ?? Buffer.alloc(0)).toString('latin1'));
  const all = seen.join('\n');
  expect(all).toContain('[hidden]');
  expect(all.length).toBeGreaterThan(100_000);
  for (const key of [PLANTED_KEY, 'planted-0123456789', PLAIN_KEY]) {
    const at = all.indexOf(key);
    expect(at < 0 ? '' : all.slice(Math.max(0, at - 200), at + 100)).toBe('');
  }
}, 60_000);
