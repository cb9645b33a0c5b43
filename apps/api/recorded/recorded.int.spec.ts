// Needs its own API, in this process: a test looks at its pool, and others count what uploads of all teams leave
// behind.
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { purgeRun, runsToPurge } from '#lib/db/upkeep/delete-run';
import {
  beginRecording,
  finishRecording,
  abandonStaleRecordings,
  storeRecordedReplies,
} from '#lib/db/engine/record-run';
import { removeUnusedVersions } from '#lib/db/upkeep/suite-versions';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { weatherSuite, type Client } from '../../../test/client.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { until } from '../../../test/until.js';

let api: ApiInProcess;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  client = api.client;
}, 60_000);
afterAll(() => api.close());

const ROUTE = '/api/tool-eval/recorded';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const suiteOf = async (cases: number, more: object = {}): Promise<string> =>
  (await client.post('/api/tool-eval/import', { ...weatherSuite(cases), ...more })).body.suite_id;
const lines = (...all: unknown[]): string =>
  all.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
const query = (suite_id: string, more: object = {}) =>
  `${ROUTE}?${new URLSearchParams({ suite_id, target_name: 'agent', ...more })}`;
const record = (suiteId: string, text: string, more: object = {}, headers: object = {}) =>
  client.post(query(suiteId, more), text, { ...NDJSON, ...headers });
const count = async (what: string, values: unknown[] = []): Promise<number> =>
  (await api.pool.query(`SELECT count(*)::int AS n FROM ${what}`, values)).rows[0].n;
/** Counts the rows that a failed upload leaves after housekeeping. */
async function leftOvers(): Promise<number[]> {
  for (const runId of await runsToPurge(api.pool)) while (await purgeRun(api.pool, runId));
  return Promise.all(
    ['recording', 'exchange e WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = e.run_id)', 'purge'].map((what) =>
      count(what),
    ),
  );
}

const open: ClientRequest[] = [];
afterEach(() => open.splice(0).forEach((sent) => sent.destroy()));
/** An upload in progress. */
function upload(
  path: string,
  headers: object = {},
): { sent: ClientRequest; answer: Promise<{ status: number; body: any }> } {
  const sent = request(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...NDJSON, ...headers },
  });
  open.push(sent);
  const answer = once(sent, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response!.statusCode!,
    body: await json(response!),
  }));
  answer.catch(() => {});
  sent.flushHeaders();
  return { sent, answer };
}
const write = (sent: ClientRequest, text: string) => new Promise<void>((done) => sent.write(text, () => done()));
/** Longer than one read of the file. */
const PADDING = '\n'.repeat(1200);

describe('recorded replies', () => {
  it('become a run like any submitted run, from a body or a file', async () => {
    const suite = await suiteOf(2);
    const replies = [{ case: 'case 1', sample: 2, reply: 'no' }];
    const inBody = await client.post(ROUTE, {
      suite_id: suite,
      target_name: 'in a body',
      replies,
      metrics: [{ id: 'bfcl_ast' }],
    });
    const asText = await client.post(ROUTE, { suite_id: suite, target_name: 'as text', replies: lines(...replies) });
    const asFile = await record(suite, lines('', ...replies, ''), { metrics: '[{"id":"bfcl_ast"}]' });
    for (const { status, body } of [inBody, asText, asFile]) {
      expect([status, body]).toEqual([
        202,
        {
          job_id: expect.any(String),
          eval_id: expect.any(String),
          status: 'submitted',
          replies: 1,
          read_as: { 'toolmark.message': 1 },
          warnings: expect.any(Array),
        },
      ]);
      expect((await client.get(`/api/tool-eval/history/${body.eval_id}`)).body).toMatchObject({
        counts: { total: 3 },
        targets: [{ provider_key: 'recorded', recorded: true }],
        config: { recorded: true, samples: 3 },
      });
    }
    expect((await client.get(`/api/tool-eval/history/${asFile.body.eval_id}`)).body.config.metrics).toMatchObject([
      { id: 'bfcl_ast' },
    ]);
    expect((await client.get(`/api/jobs/${asFile.body.job_id}`)).body).toMatchObject({
      type: 'tool_eval',
      status: 'queued',
      result_ref: asFile.body.eval_id,
      progress: { total: 3 },
    });
  });

  it('are numbered in their order when a case has several and no line says which', async () => {
    const suite = await suiteOf(1);
    const { body } = await record(
      suite,
      lines({ case: 'case 0', sample: 1, reply: 'b' }, { case: 'case 0', reply: 'a' }, { case: 'case 0', reply: 'c' }),
    );
    expect(body).toMatchObject({ replies: 3, warnings: [] });
    const { rows } = await api.pool.query('SELECT sample FROM exchange WHERE run_id = $1 ORDER BY 1', [body.eval_id]);
    expect(rows.map(({ sample }) => sample)).toEqual([0, 1, 2]);
  });

  it('are all refused if any is wrong, with the line and a way out, and nothing is stored', async () => {
    const suite = await suiteOf(3, {
      test_cases: [
        ...weatherSuite(2).test_cases,
        { name: 'twice', prompt: 'a', expected_tool: null },
        { name: 'twice', prompt: 'b', expected_tool: null },
        { name: 'draft', prompt: 'c', expected_tool: null, draft: true },
        {
          name: 'like',
          prompt: 'd',
          expected_tool: 'get_weather',
          expected_params: { city: 'Paris' },
          param_scoring: 'semantic',
        },
      ],
    });
    const id = (await client.get(`/api/tool-suites/${suite}`)).body.test_cases[0].id;
    const before = [await count('run'), await count('job')];
    const fine = { case: 'case 1', reply: 'fine' };
    const wrong: [line: unknown, path: string, message: RegExp][] = [
      [{ case: 'case 7', reply: 'x' }, '/case', /names no case of version 1.*"case 7".*Use the id or the name/],
      [{ case: 'twice', reply: 'x' }, '/case', /names several cases.*Use the id of/],
      [{ case: 'draft', reply: 'x' }, '/case', /is a draft.*remove "draft"/],
      [{ case: 'like', reply: 'x' }, '/case', /no embedding model.*owner can set one/],
      [{ case: id, sample: 0, reply: 'x' }, '', /./],
      [{ case: 'case 0', sample: 0, reply: 'x' }, '/sample', /0 of case "case 0" is in an earlier line/],
      [{ case: 'case 0', sample: 100, reply: 'x' }, '/sample', /at most 99/],
      [{ case: 'case 0', sample: -1, reply: 'x' }, '/sample', /at least 0/],
      [{ case: 'case 0', sample: 0.5, reply: 'x' }, '/sample', /integer/],
      [{ reply: 'x' }, '/case', /is missing/],
      [{ case: 'case 0', replay: 'x' }, '/replay', /Did you mean "reply"/],
      [{ case: 'case 0' }, '', /one of reply, rounds, error; it has none/],
      [{ case: 'case 0', reply: 'x', error: 'y' }, '', /it has reply and error/],
      [{ case: 'case 0', reply: { colour: 'red' } }, '/reply', /./],
      [{ case: 'case 0', rounds: ['x', 7] }, '/rounds/1', /./],
      [{ case: 'case 0', rounds: [] }, '/rounds', /./],
      [{ case: 'case 0', error: {} }, '/error', /what went wrong/],
      [{ case: 'case 0', error: { message: 'x', kind: 'bored' } }, '/error/kind', /must be one of .*timeout/],
      [{ case: 'case 0', error: { message: 'x', code: 1 } }, '/error/code', /is not a field/],
      [{ case: 'case 0', reply: 'a\u0000b' }, '/reply', /U\+0000/],
      ['{"case": "case 0", "reply": ', '', /is not JSON/],
      [['case 0', 'x'], '', /is a list/],
      ['7', '', /not a JSON object/],
      [`{"case": "case 0", "reply": ${'['.repeat(300)}${']'.repeat(300)}}`, '', /deeper than 200/],
    ];
    const { status, body } = await record(suite, lines(fine, ...wrong.map(([line]) => line)));
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/nothing was stored. Line 2:/)]);
    const expected = wrong.map(([, path, message], index) => ({
      path: `/replies/${index + 1}${path}`,
      message: expect.stringMatching(new RegExp(`^Line ${index + 2}: .*${message.source}`)),
    }));
    expect(body.errors).toEqual(expected.filter((_one, index) => index !== 4));
    expect([await count('run'), await count('job')]).toEqual(before);
    expect(await leftOvers()).toEqual([0, 0, 0]);
  });

  it('report at most a hundred faults', async () => {
    const suite = await suiteOf(1);
    const many = await record(
      suite,
      lines(...Array.from({ length: 3000 }, (_, n) => ({ case: `case ${n + 1}`, reply: 'x' }))),
    );
    expect([many.status, many.body.errors.length, many.body.detail]).toEqual([
      422,
      100,
      expect.stringMatching(/^The replies have at least 100 faults/),
    ]);
    expect(await record(suite, '\n\n')).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/lines contain no reply/) },
    });
    const [sent, long] = [
      `${lines({ case: 'case 0', reply: 'x' })}\n`,
      `{"case": "case 0", "reply": "${'x'.repeat(4 * 2 ** 20)}"}`,
    ];
    for (const text of [sent + long, `${sent}${long}\n`])
      expect(await record(suite, text)).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/replies/1', message: expect.stringMatching(/longer than 4 MiB/) }] },
      });
    const samples = Array.from({ length: 101 }, () => ({ case: 'case 0', reply: 'x' }));
    expect(await record(suite, lines(...samples))).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/replies/100/case', message: expect.stringMatching(/already has 100 replies/) }] },
    });
    expect(await leftOvers()).toEqual([0, 0, 0]);
  });

  it('need a known suite and models before they are read', async () => {
    const suite = await suiteOf(1);
    const other = (await client.post('/api/experiments', { name: 'e', suite_id: await suiteOf(1) })).body.id;
    const text = lines({ case: 'case 0', reply: 'x' });
    const nobody = '019aa000-0000-7000-8000-000000000000';
    expect(await record(nobody, text)).toMatchObject({ status: 422, body: { errors: [{ path: '/suite_id' }] } });
    expect(await record(suite, text, { target_name: ' ' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/target_name' }] },
    });
    expect(await record(suite, text, { metrics: '[{"id":"none"}]' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/metrics/0/id' }] },
    });
    expect(await record(suite, text, { metrics: 'bfcl_ast' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/metrics', message: expect.stringMatching(/JSON of a list/) }] },
    });
    expect(await record(suite, text, { experiment_id: other })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/another suite/) },
    });
    expect(await record(suite, text, { colour: 'red' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/colour' }] },
    });
    expect(await client.post(query(suite), { suite_id: suite, target_name: 'x', replies: text })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/in the body, not in the query/) },
    });
    expect(await client.post(query(suite), text, { 'content-type': 'text/csv' })).toMatchObject({ status: 415 });
    expect(await client.post(ROUTE, { suite_id: suite, target_name: 'x' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/replies' }] },
    });
    expect(await record(await suiteOf(0), text)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/no test cases/) },
    });
    expect(await leftOvers()).toEqual([0, 0, 0]);
  });

  it('have a provider key that no new provider can use', async () => {
    expect(await client.post('/api/providers', { key: 'recorded', base_url: 'http://127.0.0.1:9/v1' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/key', message: 'is reserved' }] },
    });
  });
});

describe('an upload of recorded replies', () => {
  it('becomes a run only when complete, holds no connection, and keeps the suite version of its start', async () => {
    const suite = await suiteOf(2);
    const runs = await count('run');
    const { sent, answer } = upload(query(suite));
    await write(sent, `${lines({ case: 'case 0', reply: 'x' })}${PADDING}`);
    await until(
      async () => (await count('exchange e WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = e.run_id)')) === 1,
      { what: 'the first reply to be kept' },
    );
    expect([await count('run'), await count('recording'), api.pool.idleCount === api.pool.totalCount]).toEqual([
      runs,
      1,
      true,
    ]);
    await client.patch(`/api/tool-suites/${suite}`, { name: 'Changed' });
    while (await removeUnusedVersions(api.pool));
    sent.end(lines({ case: 'case 1', reply: 'x' }));
    const { status, body } = await answer;
    expect([status, (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body.suite]).toEqual([
      202,
      { id: suite, name: 'Weather', version: 1 },
    ]);
    expect([await count('run'), await count('recording')]).toEqual([runs + 1, 0]);
    expect(await count('exchange WHERE run_id = $1', [body.eval_id])).toBe(2);
  });

  it('that breaks off leaves nothing, and can be repeated with its Idempotency-Key', async () => {
    const suite = await suiteOf(1);
    const runs = await count('run');
    const key = { 'idempotency-key': 'an upload' };
    const { sent } = upload(query(suite), key);
    await write(sent, `${lines({ case: 'case 0', reply: 'x' })}${PADDING}`);
    await until(
      async () => (await count('exchange e WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = e.run_id)')) === 1,
      { what: 'the first reply to be kept' },
    );
    sent.destroy();
    await until(async () => (await count('recording')) === 0, { what: 'the upload to be given up' });
    expect(await count('run')).toBe(runs);
    expect(await leftOvers()).toEqual([0, 0, 0]);

    // Sent again with chunked encoding (no length), with the same key and address.
    const repeat = async () => {
      const again = upload(query(suite), key);
      again.sent.end(lines({ case: 'case 0', reply: 'x' }));
      return again.answer;
    };
    const [first, second] = [await repeat(), await repeat()];
    expect([first.status, second]).toEqual([202, first]);
    expect(await count('run')).toBe(runs + 1);
  });

  it('whose API died is removed by housekeeping, and cannot continue afterwards', async () => {
    const { pool } = api;
    const suite = await suiteOf(1);
    const {
      team: { id: teamId },
      user: { id: userId },
    } = (await client.get('/api/me')).body;
    const recording = await beginRecording(pool, teamId, suite);
    const reply = (sample: number) => ({ casePosition: 0, sample, exchange: Buffer.from('x') });
    await storeRecordedReplies(pool, recording, [reply(0)]);
    const forgotten = () => pool.query(`UPDATE recording SET touched_at = now() - interval '16 min'`);
    await forgotten();
    await storeRecordedReplies(pool, recording, [reply(1)]);
    await abandonStaleRecordings(pool);
    await storeRecordedReplies(pool, recording, []);
    await forgotten();
    await abandonStaleRecordings(pool);
    await expect(storeRecordedReplies(pool, recording, [reply(2)])).rejects.toMatchObject({ status: 409 });
    const client_ = await pool.connect();
    await expect(
      finishRecording(client_, recording, {
        teamId,
        userId,
        tokenId: null,
        name: 'late',
        positions: [0],
        config: { samples: 1 } as never,
        experimentId: null,
        warnings: [],
      }),
    ).rejects.toMatchObject({ status: 409 });
    client_.release();
    expect(await leftOvers()).toEqual([0, 0, 0]);
  });

  it('is one of four at once of its team; small ones and other teams are accepted meanwhile', async () => {
    const suite = await suiteOf(1);
    const four = Array.from({ length: 4 }, () => upload(query(suite)));
    await until(async () => (await count('recording')) === 4, { what: 'the uploads to begin' });
    const fifth = upload(query(suite));
    expect(await fifth.answer).toMatchObject({ status: 429 });
    expect(await record(suite, lines({ case: 'case 0', reply: 'x' }))).toMatchObject({ status: 202 });
    for (const { sent } of four) sent.end(lines({ case: 'case 0', reply: 'x' }));
    expect((await Promise.all(four.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([
      202, 202, 202, 202,
    ]);
  });

  it('is refused while it is still arriving, and its sender reads why', async () => {
    const suite = await suiteOf(1);
    const wrong = async () => {
      const { sent, answer } = upload(query(suite));
      await write(sent, `${lines(...Array.from({ length: 1000 }, () => ({ case: 'none', reply: 'x' })))}\n`);
      sent.end();
      return answer;
    };
    const endless = async () => {
      const { sent, answer } = upload(query(suite));
      for (let n = 0; n < 5; n++) await write(sent, 'x'.repeat(2 ** 20));
      return answer;
    };
    const huge = upload(query(suite), { 'content-length': String(11 * 2 ** 30) }).answer;
    expect(await Promise.all([wrong(), endless(), huge])).toMatchObject([
      {
        status: 422,
        body: { errors: expect.arrayContaining([expect.objectContaining({ path: '/replies/0/case' })]) },
      },
      { status: 422, body: { errors: [{ message: expect.stringMatching(/Line 1: is longer than 4 MiB/) }] } },
      { status: 413 },
    ]);
    expect(await leftOvers()).toEqual([0, 0, 0]);
  });
});
