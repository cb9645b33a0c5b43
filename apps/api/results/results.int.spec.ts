import { zstdCompressSync } from 'node:zlib';
import { connect } from 'node:net';
import { NO_USAGE } from '#lib/contracts/cost';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { claimItems } from '#lib/db/engine/claim-items';
import { dispatchLane } from '#lib/db/engine/dispatch-lane';
import { settleItems, type Settlement } from '#lib/db/engine/settle-items';
import { logWarning } from '#lib/db/engine/log-events';
import type { Verdict } from '#lib/contracts/verdict';
import { ApiClient } from '#lib/client/api-client';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let runId: string;

const CASES = 7;
const raw = (path: string): Promise<string> =>
  fetch(api.url + path, { headers: { authorization: `Bearer ${client.token}` } }).then((answer) => answer.text());

/** The results of a worker: case 0 passes, case 1 is errored, the others call with a wrong argument. */
function settlement(delivery: Settlement['delivery']): Settlement {
  const passed = delivery.item === 0;
  const verdict: Verdict = {
    tool_score: 1,
    param_score: passed ? 1 : 0,
    overall: passed ? 1 : 0.6,
    passed,
    error_type: passed ? 'none' : 'wrong_argument',
    format_compliance: 'native',
    abstention: false,
    called: [{ name: 'get_weather', arguments: parseJson('{"city":"Paris","days":5.0}') as JsonObject }],
    evidence: {
      pairs: [{ called: 0, expected: 0, param_score: 0, arguments: [] }],
      missing: [],
      unexpected: [],
      ...(delivery.item > 1 && { finish_reason: 'tool_calls' }),
    },
  };
  return {
    delivery,
    casePosition: delivery.item,
    sample: 0,
    category: delivery.item % 2 ? 'odd' : 'even',
    result:
      delivery.item === 1
        ? { outcome: 'errored', error: { kind: 'network', message: 'connection reset' } }
        : { outcome: 'scored', verdict },
    latencyMs: 1500,
    usage: { ...NO_USAGE, promptTokens: 10, completionTokens: 2 },
    costUsd: 0.001,
    cached: false,
    attempts: 1,
    toolChoiceUsed: 'required',
    exchange: zstdCompressSync(Buffer.from(EXCHANGES[delivery.item] ?? EXCHANGE)),
  };
}

const EXCHANGE = '{"requests":[{"temperature":0.0}],"replies":[{"big":12345678901234567890}]}';
const SECRET = 'what only a private address knows';
const message = { role: 'assistant', content: '<think>Paris?</think>Sunny.', reasoning: 'They ask.' };
const EXCHANGES: Record<number, string> = {
  1: JSON.stringify({
    requests: [],
    replies: [
      { error: { kind: 'bad_response', message: 'not shown', status: 200, body: null, private_body: SECRET } },
      { choices: [{ index: 0, message, finish_reason: 'stop' }] },
      { error: { kind: 'bad_response', message: 'not shown', status: 200, body: null, private_body: SECRET } },
    ],
  }),
  3: JSON.stringify({ requests: [], replies: [{ choices: [{ index: 0, message, finish_reason: 'stop' }] }] }),
};

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const suite = {
    name: 'Weather <&> "mail"',
    tools: [{ type: 'function', function: { name: 'get_weather' } }],
    test_cases: Array.from({ length: CASES }, (_, n) => ({
      name: n === 2 ? '=cmd|" /C calc"!A0' : `case ${n}`,
      category: n % 2 ? 'odd' : 'even',
      ...(n < 3 && { tags: n === 2 ? ['a;b', '"c"'] : ['smoke', `n${n}`], source: n === 2 ? '=1+1' : `trace ${n}` }),
      prompt: `Weather,\n"${n}"?`,
      expected_tool: 'get_weather',
      expected_params: { city: 'Paris' },
    })),
  };
  const { suite_id } = (await client.post('/api/tool-eval/import', suite)).body;
  const submitted = (
    await client.post('/api/tool-eval', {
      suite_id,
      models: [{ provider_key: 'sim', model_id: 'a', params: { seed: 7 } }],
    })
  ).body;
  runId = submitted.eval_id;
  const { rows } = await api.pool.query<{ lane_id: string }>('SELECT lane_id FROM target WHERE run_id = $1', [runId]);
  const deliveries = await dispatchLane(api.pool, rows[0]!.lane_id, 100);
  await claimItems(api.pool, 'a worker', deliveries);
  for (const delivery of deliveries) await settleItems(api.pool, [settlement(delivery)]);
}, 60_000);

async function lengthOf(pieces: AsyncIterable<string>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}
/** How the connection of a single answer ends: regularly, or with an error. */
const endOf = (path: string, version: string): Promise<string> =>
  new Promise((ended) => {
    const { hostname, port } = new URL(api.url);
    const head = `host: x\r\nconnection: close\r\nauthorization: Bearer ${client.token}`;
    connect(Number(port), hostname)
      .on('error', ({ code }: NodeJS.ErrnoException) => ended(code!))
      .on('end', () => ended('end'))
      .resume()
      .write(`GET ${path} HTTP/${version}\r\n${head}\r\n\r\n`);
  });
const results = (query = '') => client.get(`/api/tool-eval/history/${runId}/results${query}`);
const names = async (query: string): Promise<string[]> =>
  (await results(query)).body.items.map((result: any) => result.id);

describe('results', () => {
  it('are listed in the order they settled, page by page, once each', async () => {
    const seen: any[] = [];
    let cursor = '';
    do {
      const page = (await results(`?limit=3${cursor && `&cursor=${cursor}`}`)).body;
      seen.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toHaveLength(CASES);
    expect(new Set(seen.map((result) => result.id)).size).toBe(CASES);
    expect(seen.map((result) => result.seq)).toEqual(seen.map((result) => result.seq).sort((a, b) => a - b));
    expect(seen[0]).toMatchObject({
      id: '0-0-0',
      target: 'sim::a',
      case_name: 'case 0',
      outcome: 'scored',
      passed: true,
      expected: { tool: 'get_weather', params: { city: 'Paris' } },
      error: null,
    });
  });

  it.each([
    ['?outcome=errored', ['0-1-0']],
    ['?passed=true', ['0-0-0']],
    ['?error_type=wrong_argument&category=odd', ['0-3-0', '0-5-0']],
    ['?model=sim::a&passed=false&category=even', ['0-2-0', '0-4-0', '0-6-0']],
    ['?model=a&passed=true', ['0-0-0']],
    ['?model=sim::b', []],
  ])('are filtered by %s', async (query, ids) => {
    expect(await names(query)).toEqual(ids);
  });

  it('explain their verdict, and show the exchange with exact numbers', async () => {
    const { body } = await client.get(`/api/tool-eval/history/${runId}/results/0-2-0`);
    expect(body.explanation.join(' ')).toMatch(/get_weather/);
    expect(await raw(`/api/tool-eval/history/${runId}/results/0-2-0`)).toContain(
      '"exchange":{"requests":[{"temperature":0.0}],"replies":[{"big":12345678901234567890}]}',
    );
    expect(await raw(`/api/tool-eval/history/${runId}/results`)).toContain('"arguments":{"city":"Paris","days":5.0}');
    expect((await client.get(`/api/tool-eval/history/${runId}/results/0-1-0`)).body).toMatchObject({
      error: { kind: 'network', message: 'connection reset' },
      explanation: [expect.stringMatching(/connection reset/), expect.anything()],
    });
    for (const id of ['0-99-0', 'x', '0-0'])
      expect((await client.get(`/api/tool-eval/history/${runId}/results/${id}`)).status).toBe(404);
  });

  it('have the reply of the model, its thoughts, and its finish reason', async () => {
    const said = async (id: string) => (await client.get(`/api/tool-eval/history/${runId}/results/${id}`)).body.said;
    expect(await said('0-3-0')).toEqual([
      { text: 'Sunny.', thoughts: 'They ask.\nParis?', refusal: null, finish_reason: 'stop' },
    ]);
    expect([await said('0-1-0'), await said('0-2-0')]).toEqual([[], []]);
  });

  it('show only owners what a private address answered instead of a reply', async () => {
    const as = async (role: string): Promise<Client> => {
      const { body } = await client.post('/api/tokens', { name: role, role, user: `private ${role}` });
      return clientOf(api.url, body.token);
    };
    const path = `/api/tool-eval/history/${runId}`;
    const errorFor = async (reader: Client) => (await reader.get(`${path}/results/0-1-0`)).body.exchange.replies[2];
    const hidden = { kind: 'bad_response', message: 'not shown', status: 200, body: null };
    const [owner, editor, viewer] = [await as('owner'), await as('editor'), await as('viewer')];
    expect(await errorFor(owner)).toEqual({ error: { ...hidden, private_body: SECRET } });
    for (const reader of [editor, viewer]) expect(await errorFor(reader)).toEqual({ error: hidden });
    for (const reader of [owner, editor, viewer])
      for (const file of ['results', ...['json', 'jsonl', 'csv', 'junit'].map((format) => `export?format=${format}`)])
        expect(JSON.stringify((await reader.get(`${path}/${file}`)).body)).not.toContain(SECRET);
  });

  it('are counted in their run, which keeps its settings', async () => {
    expect((await client.get(`/api/tool-eval/history/${runId}`)).body).toMatchObject({
      counts: { total: CASES, settled: CASES, errored: 1, passed: 1 },
      config: { temperature: 0, models: [{ provider_key: 'sim', model_id: 'a', params: { seed: 7 } }] },
    });
  });
});

describe('a note on a result', () => {
  const path = () => `/api/tool-eval/history/${runId}/results`;
  const note = (id: string) => `${path()}/${id}/note`;
  const noted = async (query: string): Promise<string[]> => names(`?noted=${query}`);

  it('is the last that somebody in the team wrote, wherever the result is shown', async () => {
    const { body } = await client.post('/api/tokens', { name: 'Ann', role: 'editor', user: 'ann' });
    const ann = clientOf(api.url, body.token);
    expect((await client.put(note('0-2-0'), { text: ' The city is ambiguous.\n' })).body).toMatchObject({
      text: 'The city is ambiguous.',
    });
    expect((await ann.put(note('0-2-0'), { text: 'It is not.' })).body).toMatchObject({ user: 'ann' });
    const expected = { text: 'It is not.', user: 'ann', updated_at: expect.stringMatching(/^20.*Z$/) as string };
    expect((await client.get(`${path()}/0-2-0`)).body.note).toEqual(expected);
    expect((await results('?id=0-2-0&lean=true')).body.items[0].note).toEqual(expected);
    expect((await results('?id=0-3-0')).body.items[0].note).toBeNull();
    for (const order of ['settled', 'case', 'failures']) {
      expect(await noted(`true&order=${order}`)).toEqual(['0-2-0']);
      expect(await noted(`false&order=${order}`)).toHaveLength(CASES - 1);
    }
    const exported = async (format: string): Promise<string> =>
      raw(`/api/tool-eval/history/${runId}/export?format=${format}&noted=true`);
    expect(JSON.parse(await exported('json')).results).toMatchObject([{ id: '0-2-0', note: expected }]);
    expect(JSON.parse(await exported('jsonl'))).toMatchObject({ note: expected });
    expect(await exported('csv')).toMatch(/^id,.*,note\r\n(.|\n)*,It is not\.\r\n$/);
    expect((await ann.delete(note('0-2-0'))).status).toBe(204);
    expect((await ann.delete(note('0-2-0'))).status).toBe(404);
    expect(await noted('true')).toEqual([]);
  });

  it('is short, on a result that exists, and a run has so many of them', async () => {
    await client.put(note('0-1-0'), { text: 'x'.repeat(2000) });
    expect((await results('?id=0-1-0&lean=true')).body.items[0].note.text).toHaveLength(200);
    for (const text of ['x'.repeat(2001), ' ', null])
      expect((await client.put(note('0-1-0'), { text })).status).toBe(400);
    for (const id of ['0-99-0', 'x']) expect((await client.put(note(id), { text: 'x' })).status).toBe(404);
    await api.pool.query(
      `INSERT INTO result_note (run_id, target, case_position, sample, team_id, text)
       SELECT $1, 0, 1000 + n, 0, team_id, 'x' FROM run, generate_series(1, 999) n WHERE id = $1`,
      [runId],
    );
    expect((await client.put(note('0-1-0'), { text: 'The same one.' })).status).toBe(200);
    const { status, body } = await client.put(note('0-2-0'), { text: 'One too many.' });
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/1,000 notes/)]);
    await api.pool.query('DELETE FROM result_note WHERE run_id = $1', [runId]);
  });
});

describe('a notice of a run', () => {
  const path = () => `/api/tool-eval/history/${runId}`;
  it('is part of the run, its lists and exports, when its log is gone', async () => {
    const { pool } = api;
    await pool.query('INSERT INTO run_warning (run_id, code) VALUES ($1, $2)', [runId, 'of the release before']);
    for (const code of ['tool_choice:sim::a', 'unsupported:sim::a:seed', 'tool_choice:sim::a'])
      await logWarning(pool, runId, code, `${code} \u0000is said`);
    const { rowCount } = await pool.query(
      `DELETE FROM job_event WHERE name = 'eval_warning' AND job_id = (SELECT job_id FROM run WHERE id = $1)`,
      [runId],
    );
    expect(rowCount).toBe(2);
    const warnings = [
      { code: 'of the release before', message: null, at: null },
      ...['tool_choice:sim::a', 'unsupported:sim::a:seed'].map((code) => ({
        code,
        message: `${code} is said`,
        at: expect.stringMatching(/^20.*Z$/) as string,
      })),
    ];
    expect((await client.get(path())).body.warnings).toEqual(warnings);
    expect((await client.get(`${path()}/export`)).body.run.warnings).toEqual(warnings);
    await client.post('/api/tool-eval', { suite_id: (await client.get(path())).body.suite.id, models: ['sim::a'] });
    expect((await client.get('/api/tool-eval/history')).body.items.map((run: any) => run.warnings)).toEqual([
      [],
      warnings,
    ]);
  });

  it('list has at most 200 entries in an answer', async () => {
    await api.pool.query(
      `INSERT INTO run_warning (run_id, code, message, at) SELECT $1, n::text, n::text, now()
        FROM generate_series(1, 300) n`,
      [runId],
    );
    expect((await client.get(path())).body.warnings).toHaveLength(200);
    await api.pool.query('DELETE FROM run_warning WHERE run_id = $1', [runId]);
  });
});

describe('an export', () => {
  const exported = (format: string) => client.get(`/api/tool-eval/history/${runId}/export?format=${format}`);

  it('as JSON has the run and all results', async () => {
    const { body, headers } = await exported('json');
    expect(headers.get('content-disposition')).toContain(`toolmark-${runId}.json`);
    expect(body).toMatchObject({
      run: { id: runId },
      results: expect.arrayContaining([expect.objectContaining({ id: '0-6-0' })]),
    });
    expect(body.results).toHaveLength(CASES);
  });

  it('as JSONL has one result per line', async () => {
    const lines = (await exported('jsonl')).body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(lines.map((result: any) => result.id)).toEqual(Array.from({ length: CASES }, (_, n) => `0-${n}-0`));
  });

  it('as CSV quotes where needed, and contains no formula for a spreadsheet', async () => {
    const { body } = await exported('csv');
    expect(body).toMatch(
      /^id,.*,tool_choice_used,syntax,tags,suite_version,source,cached,finish_reason,.*cost_reported,note\r\n/,
    );
    expect(body.split('\r\n')).toHaveLength(CASES + 2); // the header, and the end of the last line
    expect(body).toContain('"Weather,\n""0""?"');
    expect(body).toContain(`"'=cmd|"" /C calc""!A0"`);
    expect(body).not.toMatch(/(^|,)"?=/m);
  });

  it('as CSV has the tags and source of a case, and the finish reason of the reply', async () => {
    const rows = (await exported('csv')).body.split('\r\n');
    const endOfRow = (index: number): string =>
      rows[index]
        .split(',required,')
        .at(-1)
        .replace(/,,,,,false,$/, '');
    expect([1, 2, 3, 4].map(endOfRow)).toEqual([
      ',smoke;n0,1,trace 0,false,',
      ',smoke;n1,1,trace 1,false,',
      String.raw`,"[""a;b"",""\""c\"""""]",1,'=1+1,false,tool_calls`.replace('"""""]', '""""]'),
      ',,1,,false,tool_calls',
    ]);
    const [line] = (await exported('jsonl')).body.split('\n');
    expect(JSON.parse(line)).toMatchObject({ tags: ['smoke', 'n0'], source: 'trace 0', cached: false });
    expect((await results('?lean=true')).body.items[0]).toMatchObject({ tags: [], source: null });
  });

  it('as CSV for Excel begins with a byte order mark; other formats do not', async () => {
    const bytes = async (query: string): Promise<Buffer> => {
      const headers = { authorization: `Bearer ${client.token}` };
      const answer = await fetch(`${api.url}/api/tool-eval/history/${runId}/export?${query}`, { headers });
      return Buffer.from(await answer.arrayBuffer());
    };
    expect(String(await bytes('format=csv&bom=true'))).toBe(`\ufeff${String(await bytes('format=csv'))}`);
    expect(await bytes('format=jsonl&bom=true')).toEqual(await bytes('format=jsonl'));
  });

  it('ends with the number of results on request', async () => {
    const lines = (await exported('jsonl&end=true')).body.trimEnd().split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([CASES + 1, `{"end":true,"results":${CASES}}`]);
    const [head, ...rows] = (await exported('csv&end=true&outcome=errored')).body.trimEnd().split('\r\n');
    expect(rows.at(-1)).toBe(`#end,1${','.repeat(head.split(',').length - 2)}`);
    for (const format of ['json', 'junit'])
      expect((await exported(`${format}&end=true`)).body).toEqual((await exported(format)).body);
  });

  it('that fails in the middle is recognisably incomplete', async () => {
    const { rows } = await api.pool.query<{ called: string }>(
      'SELECT called FROM result WHERE run_id = $1 AND case_position = 5',
      [runId],
    );
    const spoil = (called: string) =>
      api.pool.query('UPDATE result SET called = $2 WHERE run_id = $1 AND case_position = 5', [runId, called]);
    await spoil('{');
    try {
      for (const format of ['json', 'csv', 'junit']) {
        const path = `/api/tool-eval/history/${runId}/export?format=${format}`;
        await expect(lengthOf(new ApiClient(api.url, client.token).download(path))).rejects.toThrow(/terminated/);
        for (const version of ['1.0', '1.1']) expect(await endOf(path, version)).toBe('ECONNRESET');
      }
      expect((await exported('jsonl')).status).toBe(500);
    } finally {
      await spoil(rows[0]!.called);
    }
    expect(await endOf(`/api/tool-eval/history/${runId}/export`, '1.0')).toBe('end');
  });

  it('as JUnit distinguishes failures from errors', async () => {
    const { body, headers } = await exported('junit');
    expect(headers.get('content-type')).toMatch(/xml/);
    expect(body).toContain(
      `name="Weather &#60;&#38;&#62; &#34;mail&#34;" tests="${CASES}" failures="${CASES - 2}" errors="1"`,
    );
    expect(body.match(/<failure /g)).toHaveLength(CASES - 2);
    expect(body).toContain('<error type="network" message="connection reset"/>');
  });

  it('holds the results that a filter selects, and its name says so', async () => {
    const file = await exported('jsonl&passed=false&error_type=errored&model=sim::perfect&format_compliance=native');
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="toolmark-${runId}_model-sim-perfect_error_type-errored_passed-false_format-native.jsonl"`,
    );
    const errored = await exported('junit&outcome=errored');
    expect(errored.body.match(/<testcase /g)).toHaveLength(1);
    expect(errored.body).not.toContain('tests=');
    const hostile = await exported(`csv&tag=${encodeURIComponent('"\r\n/../é'.repeat(9))}`);
    expect(hostile.headers.get('content-disposition')).toMatch(/^attachment; filename="toolmark-[\w.-]+\.csv"$/);
    expect(hostile.body.split('\r\n')).toHaveLength(2);
    const listed = await client.get(`/api/tool-eval/history/${runId}/results?limit=200&order=failures&overall_min=0`);
    const lines = (await exported('jsonl&order=failures&overall_min=0')).body.trim().split('\n');
    expect(lines.map((line: string) => JSON.parse(line).id)).toEqual(listed.body.items.map(({ id }: any) => id));
  });

  it('has four formats', async () => {
    expect(await exported('xlsx')).toMatchObject({ status: 400, body: { errors: [{ path: '/format' }] } });
  });
});

it('another team sees none of it', async () => {
  const other = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  for (const path of ['', '/results', '/results/0-0-0', '/export'])
    expect((await other.get(`/api/tool-eval/history/${runId}${path}`)).status).toBe(404);
});
