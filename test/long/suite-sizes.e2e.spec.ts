// A private API in this process: it counts the queries of its pool.
import { get, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { startApi, type ApiInProcess } from '../api.js';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { ADMIN_TOKEN } from '../processes.js';
import { until } from '../until.js';

let api: ApiInProcess;
let client: Client;
let others: Client;
beforeAll(async () => {
  api = await startApi();
  client = api.client;
  others = clientOf(api.url, (await client.post('/api/teams', { name: 'others' })).body.token.token);
  const models = Array.from({ length: 100 }, (_, n) => ({ id: `m${n}` }));
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
}, 60_000);
afterAll(() => api.close());

const suiteOf = (cases: number, by = client): Promise<string> => by.importSuite(weatherSuite(cases));
const one = { prompt: 'p', expected_tool: 'get_weather' };
/** Adds cases as an earlier release could, without a limit. */
const grow = (suiteId: string, from: number, count: number, bytes = 0) =>
  api.pool.query(
    `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
     SELECT gen_random_uuid(), $1, i, NULL, '{}', '{"prompt":"' || i || repeat('x', $4) ||
       '","expected_tool":"get_weather"}' FROM generate_series($2::int, $2::int + $3::int - 1) i`,
    [suiteId, from, count, bytes],
  );

describe('a tool', () => {
  const described = (length: number, more: object = {}) => ({
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', description: 'x'.repeat(length) }, ...more },
  });
  const names = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, {}])),
  });
  const many = (count: number) => ({
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { inner: { type: 'array', items: { type: 'object', ...names(count - 1) } } },
      },
    },
  });
  const tooLarge = {
    body: {
      errors: [
        {
          path: expect.stringMatching(/^(\/test_cases\/0|\/0)?\/tools\/0$/),
          message: expect.stringMatching(/bytes, and a tool may have 65536/),
        },
      ],
    },
  };

  it('of more than 64 KiB or 500 properties is refused from every source, with its path', async () => {
    const id = await suiteOf(1);
    const settings = { name: 's', tools: [described(70_000)] };
    expect(await client.post('/api/tool-suites', settings)).toMatchObject({ status: 400, ...tooLarge });
    expect(await client.put(`/api/tool-suites/${id}`, settings)).toMatchObject({ status: 400, ...tooLarge });
    expect(await client.patch(`/api/tool-suites/${id}`, { tools: settings.tools })).toMatchObject({
      status: 400,
      ...tooLarge,
    });
    expect(await client.post(`/api/tool-suites/${id}/cases`, [{ ...one, tools: settings.tools }])).toMatchObject({
      status: 400,
      ...tooLarge,
    });
    expect(await client.post('/api/tool-eval/import', { ...settings, test_cases: [] })).toMatchObject({
      status: 400,
      ...tooLarge,
    });
    expect(
      await client.post('/api/tool-eval/import', {
        ...weatherSuite(0),
        test_cases: [{ ...one, tools: settings.tools }],
      }),
    ).toMatchObject({ status: 400, ...tooLarge });
    const lines = `${JSON.stringify({ suite: settings })}\n${JSON.stringify(one)}`;
    for (const [format, text] of [
      ['jsonl', lines],
      ['yaml', JSON.stringify(settings)],
    ]) {
      expect(
        await client.post(`/api/tool-eval/import?format=${format}`, text, { 'content-type': 'text/plain' }),
      ).toMatchObject({ status: 400, ...tooLarge });
    }
    const log = {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', tool_calls: [{ function: { name: 'get_weather', arguments: '{}' } }] },
      ],
      tools: [described(70_000), { type: 'function', function: { name: 'other' } }],
    };
    const warned = await client.post('/api/tool-eval/import?format=chat-logs', JSON.stringify(log), {
      'content-type': 'text/plain',
    });
    expect(warned.body.warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/"get_weather" cannot be used: has 70\d+ bytes/)]),
    );
    expect(await client.post('/api/tool-suites', { name: 's', tools: [many(501)] })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/tools/0', message: expect.stringMatching(/501 properties.*may have 500/) }] },
    });
    expect(await client.post('/api/tool-suites', { name: 's', tools: [many(500)] })).toMatchObject({ status: 201 });
  });

  it('of an MCP server is left out when it is too large, and the others are imported', async () => {
    const large = { name: 'large', inputSchema: { type: 'object', ...names(600) } };
    expect(await client.post('/api/mcp/import', { tools: [{ name: 'small' }, large] })).toMatchObject({
      status: 201,
      body: { tools_created: 1, warnings: [expect.stringMatching(/"large" is left out: it has 600 properties/)] },
    });
  });

  it('belongs to a suite whose tools have a maximum of 1 MiB together', async () => {
    const tools = Array.from({ length: 20 }, (_, n) => described(60_000, { name: `t${n}` }));
    const refused = {
      status: 400,
      body: {
        errors: [
          { path: '/tools', message: expect.stringMatching(/have 120\d+ bytes together, and may have 1048576/) },
        ],
      },
    };
    expect(await client.post('/api/tool-suites', { name: 's', tools })).toMatchObject(refused);
    expect(await client.post('/api/mcp/import', { tools })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/tool_names' }] },
    });
  });

  it('that is larger but older than the limit is kept: its suite is read, renamed and run', async () => {
    const id = await suiteOf(1);
    await api.pool.query('UPDATE suite SET tools = $2 WHERE id = $1', [
      id,
      JSON.stringify([described(100_000), { ...many(600), function: { ...many(600).function, name: 'other' } }]),
    ]);
    expect((await client.get(`/api/tool-suites/${id}`)).body.tools).toHaveLength(2);
    expect(await client.patch(`/api/tool-suites/${id}`, { name: 'New' })).toMatchObject({ status: 200 });
    expect(await client.post('/api/tool-eval', { suite_id: id, models: ['sim::m0'] })).toMatchObject({ status: 202 });
  });
});

describe('a suite', () => {
  it('grows to exactly 100,000 cases, even when several clients add them at the same time', async () => {
    const id = await suiteOf(0);
    await grow(id, 0, 99_995);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post(`/api/tool-suites/${id}/cases`, one)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 422, 422, 422]);
    expect(answers.find(({ status }) => status === 422)!.body.detail).toMatch(
      /would have 100001 cases, and a suite may have 100000\. Delete cases/,
    );
    expect((await client.get(`/api/tool-suites/${id}?cases=false`)).body.test_cases_count).toBe(100_000);
  });

  it('that is already larger can be read, edited, reduced and run, and cannot grow', async () => {
    const id = await suiteOf(1);
    await grow(id, 1, 100_009);
    const { body: page } = await client.get(`/api/tool-suites/${id}/cases?limit=2`);
    expect(await client.post(`/api/tool-suites/${id}/cases`, one)).toMatchObject({ status: 422 });
    expect(
      await client.put(`/api/tool-suites/${id}/cases/${page.items[0].id}`, {
        ...one,
        name: 'a longer name than before, by far',
      }),
    ).toMatchObject({ status: 200 });
    expect(
      await client.patch(`/api/tool-suites/${id}`, { tools: weatherSuite(0).tools, description: 'changed' }),
    ).toMatchObject({ status: 200 });
    expect((await client.delete(`/api/tool-suites/${id}/cases/${page.items[1].id}`)).status).toBe(204);
    expect((await client.get(`/api/tool-suites/${id}`)).body.test_cases).toHaveLength(100_009);
    expect(await client.post('/api/tool-eval', { suite_id: id, models: ['sim::m0'] })).toMatchObject({ status: 202 });
  });

  it('has a maximum of 256 MiB, which no case, longer case or longer description exceeds', async () => {
    const id = await suiteOf(1);
    await grow(id, 1, 32, 8 * 2 ** 20);
    const [short] = (await client.get(`/api/tool-suites/${id}/cases?limit=1`)).body.items;
    const refused = {
      status: 422,
      body: { detail: expect.stringMatching(/would have 2684\d+ bytes, and a suite may have 268435456 \(256 MiB\)/) },
    };
    expect(await client.post(`/api/tool-suites/${id}/cases`, one)).toMatchObject(refused);
    expect(
      await client.put(`/api/tool-suites/${id}/cases/${short.id}`, { ...one, name: 'x'.repeat(200) }),
    ).toMatchObject(refused);
    expect(await client.patch(`/api/tool-suites/${id}`, { description: 'longer' })).toMatchObject(refused);
    expect(
      await client.put(`/api/tool-suites/${id}/cases/${short.id}`, { prompt: 'p', expected_tool: null }),
    ).toMatchObject({ status: 200 });
    expect(await client.patch(`/api/tool-suites/${id}`, { name: 'W' })).toMatchObject({ status: 200 });
  });

  it('of an import has a maximum of 64 MiB of cases, however short its file is', async () => {
    const long = { role: 'user', content: 'x'.repeat(60_000) };
    const called = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] };
    const log = { messages: Array.from({ length: 90 }, () => [long, called]).flat() };
    expect(
      await client.post('/api/tool-eval/import?format=chat-logs', JSON.stringify(log), {
        'content-type': 'text/plain',
      }),
    ).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/may have 67108864 \(64 MiB\)\. Divide the file/) },
    });
  });

  it('is not run in more items than can be counted', async () => {
    const id = await suiteOf(1);
    await grow(id, 1, 214_999);
    const models = Array.from({ length: 100 }, (_, n) => `sim::m${n}`);
    const refused = await client.post('/api/tool-eval', { suite_id: id, models, samples: 100 });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringMatching(
          /215000 cases x 100 samples x 100 models are 2150000000 items, and a run may have 2147483647/,
        ),
        errors: [{ path: '/samples' }],
      },
    });
    await client.put('/api/settings/quotas', { quotas: { items_a_day: 2 ** 31 } });
    expect(await client.post('/api/tool-eval', { suite_id: id, models, samples: 99 })).toMatchObject({ status: 202 });
  });
});

describe('reading a large suite', () => {
  const MIB = 2 ** 20;
  /** A response that is read only as fast as the test reads it. */
  const read = (id: string, more = ''): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(
        `${api.url}/api/tool-suites/${id}${more}`,
        { agent: false, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
        resolve,
      ).on('error', reject);
    });
  const whole = async (id: string, more = ''): Promise<string> => textOf(await read(id, more));
  let id: string;
  beforeAll(async () => {
    id = await suiteOf(1);
    await grow(id, 1, 48 * 16, MIB / 16);
  });

  it('returns everything in order, in every format, and leaves out the cases on request', async () => {
    const suite = JSON.parse(await whole(id));
    expect(suite).toMatchObject({ id, name: 'Weather', version: 1, test_cases_count: 769 });
    expect(suite.test_cases.map(({ position }: any) => position)).toEqual(Array.from({ length: 769 }, (_, n) => n));
    expect(suite.test_cases[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position: 0,
      ...weatherSuite(1).test_cases[0],
    });
    for (const format of ['json', 'jsonl', 'csv', 'yaml', 'bfcl']) {
      const text = await whole(id, `/export?format=${format}`);
      expect(text.match(/7[0-9]{2}x{60000}/g)).toHaveLength(69);
      if (format === 'json') expect(JSON.parse(text).test_cases).toHaveLength(769);
    }
    const head = JSON.parse(await whole(id, '?cases=false'));
    expect(head).toMatchObject({ id, test_cases_count: 769 });
    expect(head).not.toHaveProperty('test_cases');
    expect(await client.get(`/api/tool-suites/${id}?cases=maybe`)).toMatchObject({ status: 400 });
  });

  it('goes no faster than the reader, and holds no connection to Postgres meanwhile', async () => {
    const { pool } = api;
    let asked = 0;
    const query = pool.query.bind(pool);
    pool.query = ((...args: [string]) => (asked++, query(...args))) as never;
    try {
      const answer = await read(id);
      await until(() => asked > 4 && pool.idleCount === pool.totalCount, { what: 'the first pages to be read' });
      // Sockets and streams between client and server buffer some megabytes of the 48.
      expect(asked).toBeLessThan(24);
      expect((await client.get(`/api/tool-suites/${id}?cases=false`)).status).toBe(200);
      answer.destroy();
    } finally {
      pool.query = query;
    }
  });

  it('breaks off when the suite changes meanwhile, so that nobody gets a mixture', async () => {
    const answer = await read(id);
    expect(await client.patch(`/api/tool-suites/${id}`, { description: 'changed meanwhile' })).toMatchObject({
      status: 200,
    });
    await expect(textOf(answer)).rejects.toThrow('aborted');
    expect(JSON.parse(await whole(id))).toMatchObject({ description: 'changed meanwhile' });
  });

  it('works for four of a team at once; a fifth must come back later, another team need not', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => read(id)));
    const fifth = await read(id);
    expect([fifth.statusCode, fifth.headers['retry-after']]).toEqual([429, '5']);
    const small = await suiteOf(3);
    expect(await client.get(`/api/tool-suites/${small}`)).toMatchObject({ status: 200, body: { test_cases_count: 3 } });
    const theirs = await suiteOf(1, others);
    await grow(theirs, 1, 160, MIB / 16);
    expect((await others.get(`/api/tool-suites/${theirs}`)).body.test_cases).toHaveLength(161);
    for (const answer of [...answers, fifth]) answer.destroy();
    await until(
      async () => {
        const again = await read(id);
        again.destroy();
        return again.statusCode === 200;
      },
      { what: 'a place to be free again' },
    );
  });
});
