import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
}, 60_000);

const suites = async (): Promise<number> => (await client.get('/api/tool-suites?limit=200')).body.items.length;
const jsonl = { 'content-type': 'application/x-ndjson' };
const bfcl = (count: number): string => {
  const parameters = (n: number) => ({
    type: 'dict',
    properties: { [`side_${n}`]: { type: 'float' } },
    required: [`side_${n}`],
  });
  const question = (n: number) => ({
    id: `simple_python_${n}`,
    question: [[{ role: 'user', content: `How large? ${n}` }]],
    function: [{ name: 'area', description: 'd', parameters: parameters(n) }],
  });
  const lines = Array.from({ length: count }, (_, n) => [
    question(n),
    { id: `simple_python_${n}`, ground_truth: [{ area: { [`side_${n}`]: [1, 2] } }] },
  ]).flat();
  return lines.map((line) => JSON.stringify(line)).join('\n');
};

describe('an import', () => {
  it('shows in a dry run what it would create, and writes nothing', async () => {
    const before = await suites();
    const answer = await client.post('/api/tool-eval/import?format=bfcl&dry_run=true&name=Mine', bfcl(60), jsonl);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        suite_id: null,
        dry_run: true,
        test_cases_created: 60,
        preview: { name: 'Mine', tools: [{ function: { name: 'area' } }] },
      },
    });
    expect(answer.body.preview.test_cases).toHaveLength(50);
    expect(await client.post('/api/tool-eval/import?dry_run=true', weatherSuite(1))).toMatchObject({
      status: 200,
      body: { suite_id: null, test_cases_created: 1 },
    });
    expect(await suites()).toBe(before);
  });

  it('imports all of a file or nothing', async () => {
    const before = await suites();
    expect(await client.post('/api/tool-eval/import?format=bfcl', `${bfcl(3)}\n{"id": `, jsonl)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/Line 7 is not JSON/) },
    });
    expect(
      await client.post('/api/tool-eval/import?format=csv', 'prompt,expected_tool\np,f\nq,\n', {
        'content-type': 'text/csv',
      }),
    ).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/test_cases/1/expected_tool', message: expect.stringMatching(/line 3/) }] },
    });
    expect(
      await client.post('/api/tool-eval/import?format=excel', 'x', { 'content-type': 'text/plain' }),
    ).toMatchObject({ status: 400, body: { errors: [{ path: '/format' }] } });
    expect(await client.post('/api/tool-suites', 'x', { 'content-type': 'text/csv' })).toMatchObject({ status: 415 });
    expect(await suites()).toBe(before);
  });

  it('accepts the file itself, or JSON that holds it, and repeats a lost answer', async () => {
    const [questions, answers] = [
      bfcl(2)
        .split('\n')
        .filter((line) => line.includes('question')),
      bfcl(2)
        .split('\n')
        .filter((line) => line.includes('ground_truth')),
    ];
    const files = { questions: questions.join('\n'), possible_answers: answers.join('\n'), name: 'Two files' };
    const lists = {
      questions: questions.map((line) => JSON.parse(line)),
      possible_answers: answers.map((line) => JSON.parse(line)),
    };
    for (const body of [files, lists])
      expect(await client.post('/api/tool-eval/import?format=bfcl', body)).toMatchObject({
        status: 201,
        body: { test_cases_created: 2, warnings: [] },
      });
    const key = { ...jsonl, 'idempotency-key': 'import-1' };
    const [first, second] = [
      await client.post('/api/tool-eval/import?format=bfcl', bfcl(2), key),
      await client.post('/api/tool-eval/import?format=bfcl', bfcl(2), key),
    ];
    expect(second.body).toEqual(first.body);
    expect(
      await client.post('/api/tool-eval/import', JSON.stringify(weatherSuite(1)), { 'content-type': 'text/plain' }),
    ).toMatchObject({ status: 201 });
  });

  it('is refused while it is still arriving, and its sender reads why', async () => {
    const before = await suites();
    const wrong = `{"id": \n${'x'.repeat(6 * 2 ** 20)}`;
    expect(await client.post('/api/tool-eval/import?format=bfcl', wrong, jsonl)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/Line 1 is not JSON/) },
    });
    const tooLarge = (headers: object) =>
      client.post('/api/tool-eval/import?format=jsonl', `${'{"prompt": "p"}\n'.repeat(800_000)}`, {
        ...jsonl,
        ...headers,
      });
    for (const headers of [{}, { 'idempotency-key': 'large-1' }])
      expect(await tooLarge(headers)).toMatchObject({ status: 413, body: { detail: expect.stringMatching(/10 MiB/) } });
    expect(
      await client.post('/api/tool-eval/import?format=jsonl&colour=red', 'x'.repeat(9 * 2 ** 20), jsonl),
    ).toMatchObject({ status: 400, body: { errors: [{ path: '/colour' }] } });
    const { body: viewer } = await client.post('/api/tokens', { name: 'looks on', role: 'viewer', user: 'looker' });
    expect(
      await client.send('POST', '/api/tool-eval/import?format=jsonl', 'x'.repeat(9 * 2 ** 20), {
        ...jsonl,
        authorization: `Bearer ${viewer.token}`,
      }),
    ).toMatchObject({ status: 403 });
    expect(await client.post('/api/tool-eval/import?format=csv', '', { 'content-type': 'text/csv' })).toMatchObject({
      status: 400,
    });
    expect(await suites()).toBe(before);
  });

  it('waits for others when it is large, and is refused with 429 when many wait', async () => {
    const large = bfcl(2) + ' '.repeat(1.1 * 2 ** 20);
    const [small, answers] = await Promise.all(
      [bfcl(2), large].map((text) =>
        Promise.all(
          Array.from({ length: 50 }, () => client.post('/api/tool-eval/import?format=bfcl&dry_run=true', text, jsonl)),
        ),
      ),
    );
    expect(new Set(small!.map(({ status }) => status))).toEqual(new Set([200]));
    const statuses = new Set(answers!.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(answers!.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(32);
    for (const refused of answers!.filter(({ status }) => status === 429))
      expect(refused.headers.get('retry-after')).toBe('5');
    expect(await client.post('/api/tool-eval/import?format=bfcl&dry_run=true', bfcl(1), jsonl)).toMatchObject({
      status: 200,
    });
  });

  it('of thousands of cases with their own tools does not block other requests', async () => {
    let importing = true;
    let served = 0;
    const imported = client
      .post('/api/tool-eval/import?format=bfcl', bfcl(2000), jsonl)
      .finally(() => (importing = false));
    while (importing) served += Number((await api.client.get('/healthz')).status === 200);
    expect(await imported).toMatchObject({ status: 201, body: { test_cases_created: 2000 } });
    expect(served).toBeGreaterThan(20);
  });
});

describe('an export', () => {
  it('for Excel begins with a byte order mark, and is imported as the same cases', async () => {
    const { body } = await client.post('/api/tool-eval/import', weatherSuite(2));
    const answer = await fetch(`${api.url}/api/tool-suites/${body.suite_id}/export?format=csv&bom=true`, {
      headers: { authorization: `Bearer ${api.client.token}` },
    });
    const text = String(Buffer.from(await answer.arrayBuffer()));
    expect(text).toMatch(/^\ufeffsuite,name,/);
    expect(await client.post('/api/tool-eval/import?format=csv', text, { 'content-type': 'text/csv' })).toMatchObject({
      status: 201,
      body: { test_cases_created: 2, warnings: [] },
    });
  });

  it.each(['json', 'csv', 'jsonl', 'yaml', 'bfcl'])('as %s is imported as the same cases', async (format) => {
    const { body } = await client.post('/api/tool-eval/import', weatherSuite(3));
    const answer = await fetch(`${api.url}/api/tool-suites/${body.suite_id}/export?format=${format}`, {
      headers: { authorization: `Bearer ${api.client.token}` },
    });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const again = await client.post(`/api/tool-eval/import?format=${format === 'json' ? 'native' : format}`, text, {
      'content-type': 'text/plain',
    });
    const cases = (await client.get(`/api/tool-suites/${again.body.suite_id}`)).body.test_cases;
    expect(cases).toMatchObject(
      weatherSuite(3).test_cases.map(({ expected_tool, expected_params, prompt }) => ({
        expected_tool,
        expected_params,
        prompt,
      })),
    );
  });
});

describe('the toolmark command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-imports-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const toolmark = (...args: string[]) =>
    promisify(execFile)(resolve('node_modules/.bin/node'), [
      resolve('dist/apps/cli/main.js'),
      ...args,
      '--server',
      api.url,
      '--token',
      api.client.token,
    ]).catch((error: { stdout: string; stderr: string }) => error);
  const file = (name: string, text: string): string => (writeFileSync(join(folder, name), text), join(folder, name));

  it('imports a file in any format, previews it, and exports it', async () => {
    const [questions, answers] = ['question', 'ground_truth'].map((what) =>
      file(
        `${what}.json`,
        bfcl(2)
          .split('\n')
          .filter((line) => line.includes(what))
          .join('\n'),
      ),
    );
    const before = await suites();
    const shown = await toolmark(
      'suites',
      'import',
      questions!,
      '--format',
      'bfcl',
      '--answers',
      answers!,
      '--dry-run',
      '--name',
      'Mine',
    );
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'Mine', test_cases: [{ expected_tool: 'area' }, {}] });
    expect(await suites()).toBe(before);
    const made = await toolmark(
      'suites',
      'import',
      file('cases.csv', 'prompt,expected_tool,expected_params\np,f,"{""n"": 5.0}"\n'),
    );
    expect(made.stderr).toMatch(/Warning: .*does not describe its tools/);
    const id = /as suite (\S+)/.exec(made.stdout)![1]!;
    expect((await toolmark('suites', 'export', id)).stdout).toContain('"n": 5.0');
    expect((await toolmark('suites', 'export', id, '--format', 'csv')).stdout).toContain('p,f,"{""n"":5.0}"');
    expect(await toolmark('suites', 'import', file('bad.yaml', 'name: ['))).toMatchObject({
      stderr: expect.stringMatching(/not YAML at line/),
    });
    expect(await toolmark('suites', 'import', file('x.txt', 'x'), '--format', 'excel')).toMatchObject({
      stderr: expect.stringMatching(/format/),
    });
  });
});
