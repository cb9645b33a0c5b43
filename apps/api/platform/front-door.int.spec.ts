import { request } from 'node:http';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { lockTable } from '../../../test/lock-table.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let client: Client;
let other: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
}, 60_000);

const MIB = 2 ** 20;
const UNITS: Record<string, number> = { bytes: 1, KiB: 1024, MiB: MIB };

/** Sends the head of a request whose body never arrives. */
function sendHead(method: string, path: string, headers: object): Promise<{ status?: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(api.url + path, {
      method,
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json', ...headers },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      resolve({ status: response.statusCode, text: (await response.toArray()).join('') });
      sent.destroy();
    });
    sent.flushHeaders();
  });
}

it('every route refuses a body over its limit by its Content-Length, before it arrives', async () => {
  const { paths } = (await client.get('/openapi.json')).body;
  const routes = Object.entries<Record<string, any>>(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody }]) => {
      if (!requestBody) return [];
      const [, size, unit] = /^JSON of at most (\d+) (bytes|KiB|MiB)\.$/.exec(requestBody.description)!;
      return { method: method.toUpperCase(), path, size: `${size} ${unit}`, bytes: Number(size) * UNITS[unit!]! };
    }),
  );
  expect(routes.length).toBeGreaterThan(40);
  expect(Math.max(...routes.map(({ bytes }) => bytes))).toBe(10 * MIB);
  const answers = await Promise.all(
    routes.map(async ({ method, path, size, bytes }) => {
      const { status, text } = await sendHead(method, path.replaceAll(/\{\w+\}/g, 'x'), {
        'content-length': String(bytes + 1),
        'sec-fetch-site': 'same-origin',
      });
      return [method, path, status, JSON.parse(text).detail.includes(size)];
    }),
  );
  expect(answers).toEqual(routes.map(({ method, path }) => [method, path, 413, true]));
});

it('queued requests of one team delay no other team, and are refused beyond a limit', async () => {
  const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(1))).body;
  const release = await lockTable(api.pool, 'suite_case');
  let refused = 0;
  const asked = Array.from({ length: 320 }, async () => {
    const answer = await client.get(`/api/tool-suites/${suite_id}/cases`);
    if (answer.status === 429) refused++;
    return answer;
  });
  await until(() => refused > 0, { what: 'the first refusal' });
  expect((await other.get('/api/experiments')).status).toBe(200);
  expect((await other.get('/api/jobs')).status).toBe(200);
  await release();
  const answers = await Promise.all(asked);
  const late = answers.filter(({ status }) => status !== 200);
  expect(late.length).toBeLessThan(20);
  for (const { status, body, headers } of late) {
    expect([status, headers.get('retry-after')]).toEqual([429, '5']);
    expect(body.detail).toBe('300 requests of your team are queued already (the limit). Try again in a few seconds.');
  }
  expect((await client.get(`/api/tool-suites/${suite_id}/cases`)).status).toBe(200);
});

describe('a body that is parsed in a thread gets the answer of a small one', () => {
  const large = (body: object | string): string =>
    (typeof body === 'string' ? body : JSON.stringify(body)).replace(/[\]}]$/, (end) => ' '.repeat(70_000) + end);
  const anthropic = { name: 'get_weather', input_schema: { type: 'object', properties: { n: { enum: [1] } } } };
  const suite = JSON.stringify({ name: 'Large', tools: [anthropic], pass_threshold: 1 }).replace('[1]', '[5.0, 1e2]');

  it.each<[what: string, method: string, path: string, body: string]>([
    ['malformed JSON', 'POST', '/api/tool-suites', '{"name": 1,,}'],
    ['too deep', 'POST', '/api/tool-suites', '['.repeat(300) + ']'.repeat(300)],
    ['a text that cannot be stored', 'POST', '/api/tool-suites', '{"name": "\\u0000"}'],
    ['faults of a suite', 'POST', '/api/tool-suites', '{"name": 1, "colour": 2, "tools": []}'],
    ['faults of a run', 'POST', '/api/tool-eval', '{"suite_id": "x", "temprature": 1}'],
    ['faults of a gate, which has no thread', 'POST', '/api/gates', '{"name": 1}'],
    ['faults of cases', 'POST', '/api/tool-suites/x/cases', '{"cases": [{"promt": "p"}]}'],
    ['faults of labels', 'POST', '/api/tool-eval/history/x/labels', '{"labels": [{"label": "right"}]}'],
    ['faults of recorded replies', 'POST', '/api/tool-eval/recorded', '{"replies": [1]}'],
    ['faults of an import', 'POST', '/api/tool-eval/import?dry_run=true', '{"name": "x", "test_cases": 1}'],
  ])('%s', async (_what, method, path, body) => {
    const [small, answer] = [await client.send(method, path, body), await client.send(method, path, large(body))];
    expect(small.status).toBeGreaterThanOrEqual(400);
    const withoutPlace = ({ detail, ...rest }: { detail: string }) => ({
      ...rest,
      detail: detail.replace(/ at (line|position).*/, ''),
    });
    expect([answer.status, withoutPlace(answer.body)]).toEqual([small.status, withoutPlace(small.body)]);
  });

  it('numbers as they were written, tools of another shape with their warnings', async () => {
    const [small, answer] = [
      await client.post('/api/tool-suites', suite),
      await client.post('/api/tool-suites', large(suite)),
    ];
    expect([answer.status, answer.body.warnings, answer.body.tools]).toEqual([
      201,
      small.body.warnings,
      small.body.tools,
    ]);
    expect(small.body.warnings[0]).toMatch(/Anthropic/);
    const stored = await fetch(`${api.url}/api/tool-suites/${answer.body.id}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect(await stored.text()).toMatch(/\[5\.0, ?1e2\]/);
  });

  it('imports, cases and recorded replies, once for one Idempotency-Key', async () => {
    const file = large(weatherSuite(2));
    const imported = await client.post('/api/tool-eval/import', file, { 'idempotency-key': 'large import' });
    expect(imported).toMatchObject({ status: 201, body: { test_cases_created: 2 } });
    expect((await client.post('/api/tool-eval/import', file, { 'idempotency-key': 'large import' })).body).toEqual(
      imported.body,
    );
    const { suite_id } = imported.body;
    const cases = large({ cases: [{ name: 'third', prompt: 'p', expected_tool: 'get_weather' }] });
    expect(await client.post(`/api/tool-suites/${suite_id}/cases`, cases)).toMatchObject({
      status: 201,
      body: { items: [{ name: 'third', position: 2 }] },
    });
    const replies = { suite_id, target_name: 'mine', replies: [{ case: 'third', reply: { content: 'x' } }] };
    const record = (body: string) =>
      client.post('/api/tool-eval/recorded', body, { 'idempotency-key': 'large record' });
    const recorded = await record(large(replies));
    expect(recorded).toMatchObject({ status: 202, body: { replies: 1 } });
    expect((await record(large(replies))).body).toEqual(recorded.body);
    const others = { ...replies, replies: [{ case: 'third', reply: { content: 'y' } }] };
    expect((await record(large(others))).status).toBe(409);
  });

  it('is refused when it has more values than its route accepts', async () => {
    expect(await client.post('/api/tool-suites', `{"x":[${'1,'.repeat(200_000)}1]}`)).toMatchObject({
      status: 413,
      body: {
        detail: 'The body has more than 131,072 values, the limit of this route. Send less at a time.',
      },
    });
  });
});
