// Needs two APIs of its own: one without access to private addresses, and one with a different sealing key.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pricesAt, pricesOf } from '#lib/contracts/find-prices';
import { KnownPrices } from '#lib/contracts/known-prices';
import { Sealer } from '#lib/runtime/seal';
import { joinIdleApi, startApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Answer, type Client } from '../../../test/client.js';
import { SEALING_KEY } from '../../../test/processes.js';

let api: SharedApi;
let client: Client;
let sim: Answer;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  sim = await client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'sk-secret-0123456789',
    models: [{ id: 'a' }, { id: 'b:8b' }],
  });
}, 60_000);

const ofTeam = 'provider_id IN (SELECT id FROM provider WHERE team_id = $1)';
/** Stores what a worker learns from a model that refuses "required". */
const learn = (model: string, ago = new Date().toISOString()) =>
  api.pool.query(`UPDATE model SET learned = $3 WHERE ${ofTeam} AND model_id = $2`, [
    api.teamId,
    model,
    JSON.stringify({ tool_choice: { way: 'auto', said: 'Only auto.', at: ago } }),
  ]);
const learned = async (provider: string) =>
  (await client.get(`/api/providers/${provider}`)).body.learned.map(({ model, setting, sent }: any) =>
    [model, setting, sent].join(' '),
  );

describe('providers', () => {
  it('never return their key', async () => {
    expect(sim).toMatchObject({ status: 201, body: { api_key_set: true, api_key_last4: '6789' } });
    const everything = JSON.stringify([
      await client.get('/api/providers'),
      await client.get('/api/providers/sim'),
      (await api.pool.query('SELECT * FROM provider WHERE team_id = $1', [api.teamId])).rows,
    ]);
    expect(everything).not.toContain('sk-secret');
  });

  it('share the lane of a key and origin, with the stricter limits; a model with limits has its own lane', async () => {
    const make = (key: string, limits: object, models: object[] = []) =>
      client.post('/api/providers', { key, base_url: 'http://127.0.0.1:10/v1', api_key: 'sk-shared', limits, models });
    const one = await make('one', { max_concurrency: 10, requests_per_minute: 60 });
    expect(one.body.shares_limits_with).toEqual([]);
    const two = await make('two', { max_concurrency: 5 }, [{ id: 'm', limits: { max_concurrency: 1 } }]);
    expect(two.body.shares_limits_with).toEqual(['one']);
    const others = [{ key: 'one', shares_limits_with: ['two'] }];
    expect((await client.get('/api/providers')).body.items).toEqual(
      expect.arrayContaining(others.map(expect.objectContaining)),
    );
    expect((await client.get('/api/providers/one')).body.shares_limits_with).toEqual(['two']);
    const { rows } = await api.pool.query(
      `SELECT name, max_concurrency, requests_per_minute FROM lane
        WHERE team_id = $1 AND name IN ('one', 'two', 'two::m') ORDER BY name`,
      [api.teamId],
    );
    expect(rows).toEqual([
      { name: 'one', max_concurrency: 5, requests_per_minute: 60 },
      { name: 'two::m', max_concurrency: 1, requests_per_minute: null },
    ]);
    await client.delete('/api/providers/two');
    expect(
      (await api.pool.query(`SELECT max_concurrency FROM lane WHERE team_id = $1 AND name = 'one'`, [api.teamId])).rows,
    ).toEqual([{ max_concurrency: 10 }]);
    expect((await client.get('/api/providers/two')).status).toBe(404);
  });

  it('can be created from templates of common hosts', async () => {
    const {
      body: { items },
    } = await client.get('/api/providers/templates');
    expect(items.length).toBeGreaterThanOrEqual(16);
    for (const { key, name, kind, base_url, unsupported_params } of items) {
      const made = await client.post('/api/providers', {
        key: `made-${key}`,
        name,
        kind,
        base_url: base_url.replace(/\{\w+\}/, 'mine'),
        models: [{ id: 'm', unsupported_params }],
      });
      expect(made).toMatchObject({ status: 201, body: { kind, models: [{ unsupported_params }] } });
      expect((await client.delete(`/api/providers/made-${key}`)).status).toBe(204);
    }
  });

  it('have their own prices: known prices of common hosts are listed for everybody, with their date', async () => {
    const { token } = (await client.post('/api/tokens', { name: 'reader', role: 'viewer' })).body;
    const { status, body } = await clientOf(api.url, token).get('/api/prices');
    expect({ status, body }).toMatchObject({ status: 200, body: { source: 'built in', as_of: expect.any(String) } });
    expect(KnownPrices.parse(body)).toEqual(body);
    const known = pricesAt(body, 'https://api.anthropic.com')('claude-sonnet-4-5-20250929')!;
    const model = { id: 'claude-sonnet-4-5-20250929', ...pricesOf(known) };
    const base_url = 'https://api.anthropic.com';
    expect(
      await client.post('/api/providers', { key: 'priced', kind: 'anthropic', base_url, models: [model] }),
    ).toEqual(
      expect.objectContaining({
        status: 201,
        body: expect.objectContaining({ models: [expect.objectContaining(model)] }),
      }),
    );
    expect((await clientOf(api.url, 'tm_nobody').get('/api/prices')).status).toBe(401);
    await client.delete('/api/providers/priced');
  });

  it('can be tested, and a test that fails says why', async () => {
    expect(await client.post('/api/providers/sim/test')).toMatchObject({
      status: 200,
      body: { ok: false, error: expect.stringMatching(/refuses connections/) },
    });
  });

  it('move to another lane with another key, and back with the old one', async () => {
    const make = (key: string) =>
      client.post('/api/providers', { key, base_url: 'http://127.0.0.1:11/v1', api_key: 'sk-first' });
    await make('left');
    await make('right');
    const lanes = async () =>
      (
        await api.pool.query<{ lane_id: string }>(
          `SELECT lane_id FROM provider WHERE team_id = $1 AND key IN ('left', 'right') ORDER BY key`,
          [api.teamId],
        )
      ).rows.map((row) => row.lane_id);
    const shared = await lanes();
    expect(shared[0]).toBe(shared[1]);
    const apart = await client.patch('/api/providers/right', { api_key: 'sk-second' });
    expect(apart.body.shares_limits_with).toEqual([]);
    expect(new Set(await lanes()).size).toBe(2);
    await client.patch('/api/providers/right', { api_key: 'sk-first', base_url: 'http://127.0.0.1:11/v2' });
    expect(await lanes()).toEqual(shared);
  });

  it('keep their key at the origin for which it was entered: another one needs its own', async () => {
    await client.post('/api/providers', {
      key: 'stays',
      base_url: 'https://one.example/v1',
      api_key: 'sk-stays-0123456789',
    });
    const stored = async () =>
      (
        await api.pool.query(`SELECT base_url, sealed_key FROM provider WHERE team_id = $1 AND key = 'stays'`, [
          api.teamId,
        ])
      ).rows;
    const before = await stored();
    for (const base_url of ['https://two.example/v1', 'http://one.example/v1', 'https://one.example:8443/v1']) {
      expect(await client.patch('/api/providers/stays', { base_url, name: 'Moved' })).toMatchObject({
        status: 422,
        body: {
          detail: expect.stringMatching(/another origin.*Enter the key again/),
          errors: [{ path: '/api_key', message: expect.stringMatching(/null/) }],
        },
      });
    }
    expect(await stored()).toEqual(before);
    expect((await client.get('/api/providers/stays')).body.name).toBe('stays');
    const set = async (change: object) => (await client.patch('/api/providers/stays', change)).body;
    expect(await set({ base_url: 'https://ONE.example:443/v2' })).toMatchObject({
      base_url: 'https://ONE.example:443/v2',
      api_key_set: true,
    });
    expect(await set({ base_url: 'https://two.example/v1', api_key: 'sk-other-9876543210' })).toMatchObject({
      api_key_last4: '3210',
    });
    expect(await set({ base_url: 'https://three.example/v1', api_key: null })).toMatchObject({
      base_url: 'https://three.example/v1',
      api_key_set: false,
    });
    expect(await set({ base_url: 'https://four.example/v1' })).toMatchObject({
      base_url: 'https://four.example/v1',
      api_key_set: false,
    });
  });

  it('send their headers, whose values are in no answer, error, audit entry or column', async () => {
    const got: (string | undefined)[][] = [];
    const server = createServer((request, response) => {
      const { 'x-team': team, 'x-secret': secret, authorization } = request.headers as Record<string, string>;
      got.push([team, secret, authorization]);
      const isRight = secret === 'right-0123456789';
      const error = { message: `No team ${team} with the secret ${secret}.` };
      response.writeHead(isRight ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRight ? { choices: [{ message: { content: 'ready' } }] } : { error }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const { port } = server.address() as AddressInfo;
      const made = await client.post('/api/providers', {
        key: 'gateway',
        base_url: `http://127.0.0.1:${port}/v1`,
        headers: [
          { name: 'X-Team', kind: 'routing', value: 'team-blue-1' },
          { name: 'X-Secret', value: 'wrong-0123456789' },
        ],
        models: ['m'],
      });
      const headers = [
        { name: 'X-Team', kind: 'routing' },
        { name: 'X-Secret', kind: 'secret' },
      ];
      expect(made).toMatchObject({ status: 201, body: { headers, api_key_set: false, client_certificate: null } });
      const test = () => client.post('/api/providers/gateway/test');
      expect((await test()).body.error).toBe(
        `127.0.0.1:${port} refused the headers (403): No team [hidden] with the secret [hidden]. Check the ` +
          "provider's headers (X-Team, X-Secret).",
      );
      const right = [{ name: 'X-Team' }, { name: 'X-Secret', value: 'right-0123456789' }];
      expect((await client.patch('/api/providers/gateway', { headers: right })).body.headers).toEqual(headers);
      expect((await test()).body).toMatchObject({ ok: true });
      expect(got.at(-1)).toEqual(['team-blue-1', 'right-0123456789', undefined]);
      const { items } = (await client.get('/api/audit?limit=3')).body;
      const changes = items.filter(({ subject }: any) => subject === 'gateway').map(({ changes }: any) => changes);
      expect(changes[0]).toEqual([{ field: 'header_values', before: '(secret)', after: '(secret)' }]);
      expect(changes[1]).toContainEqual({
        field: 'header_names',
        before: null,
        after: ['X-Team (routing)', 'X-Secret (secret)'],
      });
      const { rows } = await api.pool.query('SELECT * FROM provider WHERE team_id = $1', [api.teamId]);
      const everything = JSON.stringify([rows, items, (await client.get('/api/providers/gateway')).body]);
      expect(everything).not.toMatch(/team-blue|wrong-0|right-0/);
      const moved = await client.patch('/api/providers/gateway', { base_url: 'http://127.0.0.1:1/v1', headers: right });
      expect([moved.status, moved.body.errors.map(({ path }: any) => path)]).toEqual([422, ['/headers/0/value']]);
      expect((await client.delete('/api/providers/gateway')).status).toBe(204);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('keep what a change leaves out: key, limits, and what was learned about models that stay', async () => {
    await client.post('/api/providers', {
      key: 'kept',
      base_url: 'http://127.0.0.1:12/v1',
      api_key: 'sk-kept-0123456789',
      limits: { requests_per_minute: 60 },
      models: [{ id: 'stays' }, { id: 'goes' }],
    });
    await learn('stays');
    const changed = await client.patch('/api/providers/kept', {
      name: 'Kept',
      limits: { max_concurrency: 3 },
      models: [{ id: 'comes', default_params: { top_p: 0.5 } }, { id: 'stays' }],
    });
    expect(changed.body).toMatchObject({
      name: 'Kept',
      api_key_set: true,
      api_key_last4: '6789',
      limits: { requests_per_minute: 60, max_concurrency: 3 },
      models: [{ id: 'comes', default_params: { top_p: 0.5 } }, { id: 'stays' }],
    });
    expect(await learned('kept')).toEqual(['stays tool_choice auto']);
    expect((await client.patch('/api/providers/kept', { api_key: null })).body).toMatchObject({
      api_key_set: false,
      api_key_last4: null,
    });
  });

  it('list what their models refused within a day, and owners can reset it', async () => {
    await client.post('/api/providers', {
      key: 'learns',
      base_url: 'http://127.0.0.1:14/v1',
      models: ['one', 'two', 'three'].map((id) => ({ id: `learns-${id}` })),
    });
    const hour = 3_600_000;
    await learn('learns-one');
    await learn('learns-two', new Date(Date.now() - 23 * hour).toISOString());
    await learn('learns-three', new Date(Date.now() - 25 * hour).toISOString());
    expect(await learned('learns')).toEqual(['learns-one tool_choice auto', 'learns-two tool_choice auto']);
    const other = await client.delete('/api/providers/learns/learned?model=learns-oen');
    expect([other.status, other.body.detail]).toEqual([422, expect.stringMatching(/has no model.*learns-one/)]);
    expect((await client.delete('/api/providers/learns/learned?model=learns-one')).status).toBe(204);
    expect(await learned('learns')).toEqual(['learns-two tool_choice auto']);
    expect((await client.delete('/api/providers/learns/learned')).status).toBe(204);
    expect(await learned('learns')).toEqual([]);
    await learn('learns-one');
    await client.patch('/api/providers/learns', { base_url: 'http://127.0.0.1:15/v1' });
    expect(await learned('learns')).toEqual([]);
  });

  it('are tested with the defaults of a run, and refusals of the model are learned again', async () => {
    const bodies: any[] = [];
    const server = createServer(async (request, response) => {
      const body = JSON.parse(await text(request));
      bodies.push(body);
      const json = { 'content-type': 'application/json' };
      const refuse = (error: object) => response.writeHead(400, json).end(JSON.stringify({ error }));
      if ('temperature' in body) return refuse({ message: 'No.', param: 'temperature', code: 'unsupported_value' });
      if (body.tool_choice === 'required') return refuse({ message: 'tool_choice must be auto or none' });
      const message = { role: 'assistant', content: 'ready' };
      return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      await client.post('/api/providers', {
        key: 'picky',
        base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
        models: [{ id: 'other' }, { id: 'picky', default_params: { seed: 1 }, unsupported_params: ['top_p'] }],
      });
      const learns = [
        { setting: 'temperature', sent: 'left out', said: 'No.' },
        { setting: 'tool_choice', sent: 'auto', said: 'tool_choice must be auto or none' },
      ];
      expect(await client.post('/api/providers/picky/test?model=picky')).toMatchObject({
        status: 200,
        body: { ok: true, error: null, learned: learns },
      });
      expect(bodies.map(({ messages: _messages, tools: _tools, ...sent }) => sent)).toEqual([
        { model: 'picky', temperature: 0, seed: 1, tool_choice: 'required' },
        { model: 'picky', seed: 1, tool_choice: 'required' },
        { model: 'picky', seed: 1, tool_choice: 'auto' },
      ]);
      expect(await learned('picky')).toEqual(['picky temperature left out', 'picky tool_choice auto']);
    } finally {
      server.close();
    }
  });

  it('can change their format, and what was learned about the old one is forgotten', async () => {
    await client.post('/api/providers', {
      key: 'turned',
      base_url: 'http://127.0.0.1:13/v1',
      api_key: 'sk-turned-0123456789',
      models: [{ id: 'turned-model' }],
    });
    await learn('turned-model');
    expect(await client.patch('/api/providers/turned', { kind: 'openai' })).toMatchObject({
      status: 200,
      body: { kind: 'openai' },
    });
    expect(await learned('turned')).toEqual(['turned-model tool_choice auto']);
    expect(
      await client.patch('/api/providers/turned', { kind: 'anthropic', base_url: 'http://127.0.0.1:13/anthropic' }),
    ).toMatchObject({
      status: 200,
      body: {
        kind: 'anthropic',
        base_url: 'http://127.0.0.1:13/anthropic',
        api_key_set: true,
        models: [{ id: 'turned-model' }],
      },
    });
    expect(await learned('turned')).toEqual([]);
    expect(await client.patch('/api/providers/turned', { kind: 'gopher' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/kind', message: expect.stringMatching(/openai-responses/) }] },
    });
  });

  it('are neither created twice nor deleted while a run uses them', async () => {
    expect(await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1' })).toMatchObject({
      status: 409,
      body: { code: 'provider_exists', params: { key: 'sim' } },
    });
    const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(1))).body;
    const { job_id } = (await client.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body;
    expect((await client.delete('/api/providers/sim')).status).toBe(409);
    await client.post(`/api/jobs/${job_id}/cancel`);
    expect((await client.post(`/api/jobs/${job_id}/cancel`)).status).toBe(409);
    expect((await client.delete('/api/providers/sim')).status).toBe(204);
    expect((await client.get('/api/tool-eval/history')).body.items[0].targets).toEqual([
      expect.objectContaining({ target: 'sim::a' }),
    ]);
  });
});

it('a private base URL is refused unless the operator allows it, and prices are those of the file', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'toolmark-prices-')), 'prices.json');
  const table = { as_of: '2026-11-20', hosts: [] };
  writeFileSync(file, JSON.stringify(table));
  const strict = await startApi({ TOOLMARK_ALLOWED_NETWORKS: '', TOOLMARK_PRICES_FILE: file });
  rmSync(dirname(file), { recursive: true });
  expect((await strict.client.get('/api/prices')).body).toEqual({ source: 'file', ...table });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3', '0x7f000001', '[::ffff:192.168.0.1]']) {
    expect([
      host,
      (await strict.client.post('/api/providers', { key: 'x', base_url: `http://${host}/v1` })).body.errors,
    ]).toEqual([host, [{ path: '/base_url', message: expect.stringMatching(/TOOLMARK_ALLOWED_NETWORKS/) }]]);
  }
  for (const { client: either } of [strict, api]) {
    for (const host of ['169.254.169.254', '2852039166', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '100.100.100.200']) {
      expect([
        host,
        (await either.post('/api/providers', { key: 'x', base_url: `http://${host}/v1` })).body.errors,
      ]).toEqual([
        host,
        [{ path: '/base_url', message: expect.stringMatching(/never go there, whatever is allowed/) }],
      ]);
    }
  }
  expect(
    (await strict.client.post('/api/providers', { key: 'x', base_url: 'https://api.example.com/v1' })).status,
  ).toBe(201);
  await strict.close();
});

it('a key that was sealed with another sealing key is reported, and can be entered again', async () => {
  const { pool, client: restarted, close } = await startApi();
  await restarted.post('/api/providers', {
    key: 'moved',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'sk-1',
    models: [{ id: 'a' }],
  });
  const lost = new Sealer(['ff'.repeat(32)]);
  await pool.query('UPDATE provider SET sealed_key = $1', [lost.seal('sk-1', 'elsewhere')]);
  const asked = [restarted.post('/api/providers/moved/test'), restarted.get('/api/providers/moved/discover')];
  for (const answer of asked)
    expect(await answer).toMatchObject({
      status: 409,
      body: {
        code: 'secret_unreadable',
        detail:
          `A sealed secret cannot be opened: it was sealed with the key ${lost.keyIds[0]}, which ` +
          `TOOLMARK_SEALING_KEY does not have (it has ${new Sealer([SEALING_KEY]).keyIds[0]}). ` +
          'Add that key at the end of TOOLMARK_SEALING_KEYS, or enter the secret again.',
      },
    });
  expect((await restarted.patch('/api/providers/moved', { api_key: 'sk-1' })).status).toBe(200);
  expect((await restarted.post('/api/providers/moved/test')).status).toBe(200);
  await close();
});
