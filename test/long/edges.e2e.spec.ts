// A private system: its requests leave through a proxy, and may go to this machine by two of its names alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as pass } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import pg from 'pg';
import { Sealer } from '#lib/runtime/seal';
import { afterFile } from '../after-file.js';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { openCommandLine } from '../command-line.js';
import { startForwardProxy, type ForwardProxy } from '../forward-proxy.js';
import { sendJson, startHttpServer, startMcpServer } from '../http-server.js';
import { startProcess, type RunningProcess } from '../processes.js';
import { SELF_SIGNED } from '../self-signed.js';
import { createDatabase, createRedis, freePort } from '../services.js';
import { signInFile } from '../sign-in-provider.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { journeys, openWeb, type Web } from '../web.js';

/** What a person types, by provider, and the sentence that each surface answers with. */
interface Edge {
  key: string;
  what: string;
  url: () => string;
  headers?: object[];
  kind: string;
  sentence: RegExp;
}
const LOST = new Sealer(['ff'.repeat(32)]);
const ELSEWHERE = 'http://127.0.0.2:9/v1';
const NOT_ALLOWED = /127\.0\.0\.2.*TOOLMARK_ALLOWED_NETWORKS/;
const EDGES: Edge[] = [
  {
    key: 'headed',
    what: 'a wrong header',
    url: () => `${simulator.url}/gateway/403/x-team=blue/v1`,
    headers: [{ name: 'x-team', value: 'red', kind: 'routing' }],
    kind: 'auth',
    sentence: /refused the key or the headers \(403\).* Check the provider's api_key and headers \(x-team\)\./,
  },
  {
    key: 'proxied',
    what: 'a proxy that answers 407',
    url: () => `${secure.origin}/v1`,
    kind: 'network',
    sentence:
      /The proxy of HTTPS_PROXY wants a user name and a password \(407\)\. An operator can add them to HTTPS_PROXY/,
  },
  {
    key: 'unknown',
    what: 'a server whose authority is unknown',
    url: () => `https://127.0.0.1:${secure.port}/v1`,
    kind: 'network',
    sentence:
      /has a certificate that cannot be trusted \(\w+\)\. Fix it, or add its authority with TOOLMARK_EXTRA_CA\./,
  },
  {
    key: 'elsewhere',
    what: 'a network that is not allowed',
    url: () => `${simulator.url}/v1`,
    kind: 'network',
    sentence: NOT_ALLOWED,
  },
  {
    key: 'sealed',
    what: 'a key that no sealing key opens',
    url: () => `${simulator.url}/v1`,
    kind: 'auth',
    sentence: new RegExp(`was sealed with the key ${LOST.keyIds[0]}, which TOOLMARK_SEALING_KEY does not have`),
  },
];

/** An https server in front of a plain one, whose authority nobody knows. @returns its address */
async function startSecureFront(plain: string): Promise<string> {
  const server = createServer(SELF_SIGNED, (request, response) => {
    const { method, url, headers } = request;
    const behind = pass(plain + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(behind);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterFile(() => (server.close(), server.closeAllConnections()));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

let simulator: RunningProcess;
let secure: URL;
let proxy: ForwardProxy;
let client: Client;
let web: Web;
let run: any;
let results: any[];
const cli = openCommandLine(() => client);

journeys('what stands between Toolmark and a model has a sentence on API, command line and page', () => {
  beforeAll(async () => {
    const [database, redis] = [await createDatabase(), await createRedis()];
    [simulator, proxy] = [await startProcess('simulator'), await startForwardProxy({ user: 'ann right' })];
    secure = new URL(await startSecureFront(simulator.url));
    const env = {
      ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' },
      TOOLMARK_ALLOWED_NETWORKS: 'localhost, 127.0.0.1',
      ...{ HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1,127.0.0.2' },
    };
    const [api] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
    client = clientOf(api.url);
    web = await openWeb(client);
    for (const { key, url, headers } of EDGES) {
      const provider = { key, base_url: url(), api_key: 'sk-edge-1', headers, models: [{ id: 'perfect-ish' }] };
      expect(await client.post('/api/providers', provider)).toMatchObject({ status: 201 });
    }
    const sql = new pg.Pool({ connectionString: database.url, max: 1 });
    // As with a sealing key, or a setting of the networks, that changed.
    await sql.query("UPDATE provider SET sealed_key = $1 WHERE key = 'sealed'", [LOST.seal('sk-edge-1', 'elsewhere')]);
    await sql.query("UPDATE provider SET base_url = $1 WHERE key = 'elsewhere'", [ELSEWHERE]);
    await sql.end();
    const suite_id = await client.importSuite(weatherSuite(1));
    const models = EDGES.map(({ key }) => `${key}::perfect-ish`);
    const { body } = await client.post('/api/tool-eval', { suite_id, models, model_order: 'parallel' });
    run = await untilRunCompleted(client, body.eval_id);
    results = (await client.get(`/api/tool-eval/history/${run.id}/results`)).body.items;
  }, 180_000);

  it.each(EDGES)('$what', async ({ key, kind, sentence }) => {
    const result = results.find(({ target }) => target === `${key}::perfect-ish`);
    expect(result).toMatchObject({ outcome: 'errored', error: { kind, message: expect.stringMatching(sentence) } });
    const tested = (await client.post(`/api/providers/${key}/test`)).body;
    expect(tested.error ?? tested.detail).toMatch(sentence);

    const [testing, showing] = [
      await cli.toolmark('providers', 'test', key),
      await cli.toolmark('show', run.id, result.id),
    ];
    expect(testing).toMatchObject({ code: 1 });
    expect(testing.out + testing.err).toMatch(sentence);
    expect(showing.out.replaceAll(/\s+/g, ' ')).toMatch(sentence);

    const { page, faults } = await web.open({ path: `/operate/providers/${key}` });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(sentence).first().waitFor();
    await page.goto(`${web.url}/runs/${run.id}/results/${result.id}`);
    await page.getByText(sentence).first().waitFor();
    expect(faults()).toEqual([]);
  });

  it('an address that is not allowed is refused before it is saved', async () => {
    const provider = { key: 'refused', base_url: ELSEWHERE, models: [{ id: 'a' }] };
    const answer = await client.post('/api/providers', provider);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringMatching(NOT_ALLOWED)]);
    const adding = await cli.toolmark('providers', 'add', 'refused', '--url', ELSEWHERE, '--models', 'a');
    expect(adding).toMatchObject({ code: 1, err: expect.stringMatching(NOT_ALLOWED) });
    const { page } = await web.open({ path: '/operate/providers/new' });
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    await page.getByLabel('Key', { exact: true }).fill('refused');
    await page.getByLabel('Address').fill(ELSEWHERE);
    await button('Add a model').click();
    await page.getByLabel('Id at the provider').fill('a');
    await button('Save the provider').click();
    await page.locator('.field-error').getByText(NOT_ALLOWED).waitFor();
  });

  it('the proxy is asked for nothing that NO_PROXY has', () => {
    expect(new Set(proxy.requests())).toEqual(new Set([`CONNECT ${secure.host}`]));
  });
});

it('everything that leaves goes through the proxy: requests, embeddings, MCP, sign-in and traces', async () => {
  const [database, redis, simulator, proxy, mcp] = [
    await createDatabase(),
    await createRedis(),
    await startProcess('simulator'),
    await startForwardProxy({ user: 'ann right' }),
    new URL(await startMcpServer(() => [{ name: 'echo', inputSchema: { type: 'object' } }])),
  ];
  let issuer = '';
  const signIn = await startHttpServer((_request, _body, response) =>
    sendJson(response, {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'], subject_types_supported: ['public'] },
      id_token_signing_alg_values_supported: ['RS256'],
    }),
  );
  const collector = await startHttpServer((_request, _body, response) => sendJson(response, {}));
  // Each is known by its port.
  const fronts = {
    models: await startSecureFront(simulator.url),
    embeddings: await startSecureFront(simulator.url),
    mcp: await startSecureFront(mcp.origin),
    signIn: await startSecureFront(signIn.url),
    traces: await startSecureFront(collector.url),
  };
  issuer = fronts.signIn;
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-edges-'));
  afterFile(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), SELF_SIGNED.cert);
  const env = {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn', TOOLMARK_ALLOWED_NETWORKS: 'localhost' },
    ...{ HTTPS_PROXY: proxy.url.replace('//', '//ann:right@'), TOOLMARK_EXTRA_CA: join(folder, 'ca.pem') },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: fronts.traces, OTEL_BSP_SCHEDULE_DELAY: '100' },
  };
  const TOOLMARK_SIGN_IN_FILE = signInFile({ id: 'corp', name: 'Corp', issuer, client_id: 'a', client_secret: 'b' });
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}`;
  await Promise.all([
    startProcess('api', { ...env, PORT, TOOLMARK_PUBLIC_URL: url, TOOLMARK_SIGN_IN_FILE }),
    startProcess('worker', env),
  ]);
  const client = clientOf(url);
  const arguments_ = '{"city":"Paris, France"}';
  const calls = [{ id: '1', type: 'function', function: { name: 'get_weather', arguments: arguments_ } }];
  await fetch(`${simulator.url}/control/scripted/a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ replies: [{ role: 'assistant', content: null, tool_calls: calls }] }),
  });
  for (const [key, id] of [
    ['models', 'scripted:a'],
    ['embeddings', 'embeddings'],
  ] as const) {
    const provider = { key, base_url: `${fronts[key]}/v1`, models: [{ id }] };
    expect(await client.post('/api/providers', provider)).toMatchObject({ status: 201 });
  }
  await client.put('/api/settings/embedding', { provider_key: 'embeddings', model_id: 'embeddings' });
  const { test_cases, ...suite } = weatherSuite(1);
  const scoring_config = { mode: 'semantic', threshold: 0.5 };
  const suite_id = await client.importSuite({
    ...suite,
    test_cases: test_cases.map((one) => ({ ...one, scoring_config })),
  });
  const { status, body } = await client.post('/api/tool-eval', { suite_id, models: ['models::scripted:a'] });
  expect([status, body.detail]).toEqual([202, undefined]);
  await untilRunCompleted(client, body.eval_id);
  const { items } = (await client.get(`/api/tool-eval/history/${body.eval_id}/results`)).body;
  expect(items.map(({ outcome, error }: any) => [outcome, error])).toEqual([['scored', null]]);
  const found = await client.post('/api/mcp/discover', { url: fronts.mcp + mcp.pathname });
  expect(found).toMatchObject({ status: 200, body: { tools: [{ name: 'echo' }] } });
  const started = await client.post('/api/sign-in/corp', {}, { origin: url });
  expect(started.body.url ?? JSON.stringify(started.body)).toContain(`${issuer}/auth?`);

  const tunnels = Object.values(fronts).map((front) => `CONNECT ${new URL(front).host}`);
  await until(() => tunnels.every((tunnel) => proxy.requests().includes(tunnel)), { what: 'traces to leave' });
  expect(new Set(proxy.requests())).toEqual(new Set(tunnels));
}, 180_000);
