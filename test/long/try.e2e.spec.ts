// A private system: it counts the rows of all tables, and restarts the API.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { openCommandLine } from '../command-line.js';
import { ADMIN_TOKEN } from '../processes.js';
import { startSystem, type System } from '../system.js';
import { untilRunEnded } from '../until-ended.js';
import { until } from '../until.js';

const PRICES = { input_cost_per_mtok: 1000, output_cost_per_mtok: 1000 };
let system: System;
let client: Client;
let sql: System['sql'];
let suiteId: string;
const { test_cases: cases, ...suite } = weatherSuite(1);
const [weather] = cases;

beforeAll(async () => {
  system = await startSystem();
  ({ client, sql } = system);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [
      { id: 'perfect-ish', ...PRICES },
      { id: 'careless-arguments', ...PRICES },
      { id: 'slow-60000' },
      { id: 'slow-5' },
      { id: 'scripted:mine' },
      { id: 'scripted:talks', ...PRICES },
    ],
  });
  await client.post('/api/providers', {
    key: 'away',
    base_url: `${system.simulator.url}/v1`,
    api_key: 'sk-of-another-lane-0123',
    models: [{ id: 'perfect-ish' }],
  });
  suiteId = await client.importSuite({ ...suite, test_cases: cases });
});

const tryOut = (models: string[], more: object = {}, by = client) =>
  by.post('/api/tool-eval/try', { case: weather, suite_id: suiteId, models, ...more });

/** What workers write at any time: about money, what teams use, themselves, and runs that ended before. */
const WRITTEN_AT_ANY_TIME = [
  'audit',
  'spending',
  'daily_spending',
  'token_spending',
  'lane_user',
  'lease',
  'served',
  'team_day',
  'team_storage',
  'worker',
  'trend_point',
  'trend_series',
];
/** The row count of each table, but of those that are written at any time. */
async function rows(): Promise<Record<string, number>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> ALL ($1)`,
    [WRITTEN_AT_ANY_TIME],
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) counts[name] = (await sql.query(`SELECT count(*)::int AS n FROM "${name}"`)).rows[0].n;
  return counts;
}
const spent = async (): Promise<number> => (await client.get('/api/settings/spending')).body.spent_usd;
const goingOn = async (): Promise<number> => (await sql.query('SELECT 1 FROM try_out')).rowCount ?? 0;
const askedOf = async (model: string): Promise<number> => (await system.stats())[model]?.requests ?? 0;
const inFlight = async (model: string): Promise<number> => (await system.stats())[model]?.in_flight ?? 0;

it('the verdicts of a try-out are those of a run, and only the cost is kept', async () => {
  const models = ['sim::perfect-ish', 'sim::careless-arguments'];
  const run = (await client.post('/api/tool-eval', { suite_id: suiteId, models, cache: 'off' })).body.eval_id;
  await untilRunEnded(client, run);
  const ofRun = (await client.get(`/api/tool-eval/history/${run}/results?order=case`)).body.items;
  // Its figures are counted after its end, and are rows as well.
  await until(async () => (await client.get(`/api/tool-eval/history/${run}/facets`)).status === 200, {
    what: 'the figures of the run',
  });
  const [before, spentBefore] = [await rows(), await spent()];
  const { status, body } = await tryOut(models, { metrics: ['ragas_tool_call_f1'] });
  expect(status).toBe(200);
  expect(body.results.map((one: any) => one.target)).toEqual(models);
  for (const [index, tried] of body.results.entries()) {
    const { passed, overall, error_type, called, evidence, usage, tool_choice_used, expected } = ofRun[index];
    expect(tried).toMatchObject({ passed, overall, error_type, called, evidence, usage, tool_choice_used, expected });
    expect(tried).toMatchObject({
      error: null,
      metrics: { ragas_tool_call_f1: { score: expect.any(Number) } },
      explanation: [expect.any(String), ...Array(tried.explanation.length - 1).fill(expect.any(String))],
      exchange: { requests: [{ tools: [{ type: 'function' }] }], replies: [{ choices: expect.any(Array) }] },
    });
  }
  expect(body.cost_usd).toBeGreaterThan(0);
  expect(await rows()).toEqual(before);
  expect((await spent()) - spentBefore).toBeCloseTo(body.cost_usd, 9);
  const { items } = (await client.get('/api/spending?by=suite')).body;
  expect(items.map(({ suite: of }: any) => of?.name ?? null).sort()).toEqual(['Weather', null].sort());
  expect(items.find(({ suite: of }: any) => of === null)).toMatchObject({ requests: 2 });
});

const cli = openCommandLine(() => client);

describe('the command line', () => {
  it('tries a case by number, by name and from a file, and exits with 1 when a model does not answer', async () => {
    const models = ['--models', 'sim::perfect-ish,sim::careless-arguments'];
    const byNumber = await cli.toolmark('try', 'Weather', '1', ...models);
    expect(byNumber).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^pass {2}sim::perfect-ish/) });
    expect(byNumber.out).toMatch(/^FAIL {2}sim::careless-arguments/m);
    const byName = await cli.toolmarkJson('try', 'Weather', 'CASE 0', ...models);
    expect(byName.results).toMatchObject([{ passed: true }, { passed: false }]);
    const file = join(cli.folder, 'case.json');
    writeFileSync(
      file,
      '{"prompt": "Weather in Rome?", "expected_tool": "get_weather", "expected_params": {"days": 5.0}}',
    );
    const fromFile = await cli.toolmark(
      'try',
      'Weather',
      file,
      '-m',
      'sim::perfect-ish,sim::slow-60000',
      '--deadline',
      '2',
    );
    expect(fromFile.code).toBe(1);
    expect(fromFile.out).toMatch(/^error {2}sim::slow-60000\n {6}No answer within 2 s\.$/m);
    expect(await cli.toolmark('try', 'Weather', 'case 1', ...models)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Did you mean|case 0/),
    });
  });
});

it('unsaved tools are tried with a case of their own, and with a threshold and prompts', async () => {
  const tool = { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } };
  await system.script('mine', { replies: [{ tool_calls: [{ name: 'get_time', arguments: { zone: 'UTC' } }] }] });
  const { status, body } = await client.post('/api/tool-eval/try', {
    case: { prompt: 'Time?', expected_tool: 'get_time', expected_params: { zone: 'CET' } },
    tools: [{ type: 'function', function: tool }],
    base_prompt: 'You know the time.',
    system_prompt: 'Be brief.',
    pass_threshold: 0.5,
    models: ['sim::scripted:mine'],
  });
  expect([status, body.results[0]]).toMatchObject([200, { passed: true, param_score: 0, cost_usd: null }]);
  expect(body.results[0].exchange.requests[0].messages[0]).toEqual({
    role: 'system',
    content: 'You know the time.\n\nBe brief.',
  });
  expect(body.cost_usd).toBeNull();
});

it('a conversation is tried on the state of its suite or an unsaved one, and all its rounds are paid', async () => {
  const conversation = {
    state: { lamp: 'off' },
    tools: { switch_on: [{ effects: [{ op: 'replace', path: '/lamp', value: 'on' }] }] },
  };
  const parameters = { type: 'object', properties: {} };
  const lit = { prompt: 'Light, please.', conversation: { goal: { state: { '/lamp': 'on' } } } };
  const id = await client.importSuite({
    name: 'Lamp',
    tools: [{ type: 'function', function: { name: 'switch_on', parameters } }],
    conversation,
    test_cases: [lit],
  });
  const replies = [{ tool_calls: [{ name: 'switch_on', arguments: {} }] }, { content: 'It is on.' }];
  const tried = async (more: object = {}) => {
    await system.script('talks', { replies });
    return tryOut(['sim::scripted:talks'], { suite_id: id, case: lit, ...more });
  };
  const [before, spentBefore] = [await rows(), await spent()];
  const { status, body } = await tried();
  expect([status, body.results[0]]).toMatchObject([
    200,
    {
      passed: true,
      attempts: 2,
      called: [{ name: 'switch_on' }],
      conversation: { state: { lamp: 'off' } },
      exchange: { conversation: [{ calls: [{ changes: [{ path: '/lamp', value: 'on' }] }] }, { calls: [] }] },
    },
  ]);
  const broken = { ...conversation, tools: { switch_on: [{ error: 'The bulb is broken.' }] } };
  const other = await tried({ conversation: broken });
  expect(other.body.results[0]).toMatchObject({ passed: false, error_type: 'goal_state', attempts: 2 });
  await until(async () => expect(await rows()).toEqual(before) === undefined, { what: 'all rows to be removed' });
  expect((await spent()) - spentBefore).toBeCloseTo(body.cost_usd + other.body.cost_usd, 9);
});

describe('a try-out is refused', () => {
  const errorsOf = async (answer: Promise<any>) => {
    const { status, body } = await answer;
    return [status, (body.errors ?? []).map((error: any) => error.path)];
  };
  it('with the paths of its faults, like cases and runs', async () => {
    const models = ['sim::perfect-ish'];
    const eleven = Array.from({ length: 11 }, (_, n) => `sim::m${n}`);
    expect(await errorsOf(tryOut(eleven))).toEqual([400, ['/models']]);
    expect(await errorsOf(tryOut(['sim::no', 'sim::perfect-ish']))).toEqual([422, ['/models/0']]);
    expect(await errorsOf(tryOut(models, { case: {} }))).toEqual([422, ['/case/prompt', '/case/expected_tool']]);
    expect(await errorsOf(tryOut(models, { case: { prompt: 'p', expected_tool: 'none_such' } }))).toEqual([
      422,
      ['/case/expected_tool'],
    ]);
    expect(await errorsOf(tryOut(models, { case: { prompt: 1 } }))).toEqual([400, ['/case/prompt']]);
    expect(await errorsOf(tryOut(models, { suite_id: null }))).toEqual([422, ['/tools']]);
    expect(await errorsOf(tryOut(models, { suite_id: 'none' }))).toEqual([422, ['/suite_id']]);
    expect(await errorsOf(tryOut(models, { metrics: ['none'] }))).toEqual([422, ['/metrics/0']]);
    expect(await errorsOf(tryOut(models, { params: { model: 'x' } }))).toEqual([422, ['/params/model']]);
    expect(await errorsOf(tryOut(models, { deadline_s: 1000 }))).toEqual([400, ['/deadline_s']]);
    expect(await errorsOf(tryOut(models, { case: { ...weather, param_scoring: 'semantic' } }))).toEqual([
      422,
      ['/case'],
    ]);
  });

  it('for viewers, and with the suites and models of another team', async () => {
    const { body } = await client.post('/api/tokens', { name: 'reads', role: 'viewer' });
    expect((await tryOut(['sim::perfect-ish'], {}, clientOf(client.url, body.token))).status).toBe(403);
    const others = clientOf(client.url, (await client.post('/api/teams', { name: 'others' })).body.token.token);
    expect(await errorsOf(tryOut(['sim::perfect-ish'], {}, others))).toEqual([422, ['/suite_id']]);
    expect(await errorsOf(tryOut(['sim::perfect-ish'], { suite_id: null, tools: suite.tools }, others))).toEqual([
      422,
      ['/models/0'],
    ]);
  });

  it('when the monthly cap is spent', async () => {
    await client.put('/api/settings/spending', { monthly_cap_usd: 0.000001 });
    const { status, body } = await tryOut(['sim::perfect-ish']);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/cap/)]);
    expect((await tryOut(['sim::slow-5'])).body.results).toMatchObject([{ passed: true }]);
    await client.put('/api/settings/spending', { monthly_cap_usd: null });
  });
});

it('at the deadline, a slow model and one in a paused lane have no answer; the others have theirs', async () => {
  const lane = (await client.get('/api/lanes')).body.items.find((one: any) => one.providers.includes('away'));
  await client.post(`/api/lanes/${lane.id}/pause`);
  const before = await rows();
  const { body } = await tryOut(['sim::slow-5', 'sim::slow-60000', 'away::perfect-ish'], { deadline_s: 2 });
  expect(body.results).toMatchObject([
    { passed: true, error: null },
    { outcome: 'errored', error: { kind: 'unanswered', message: 'No answer within 2 s.' } },
    { error: { kind: 'unanswered', message: 'No answer within 2 s: its lane is paused.' } },
  ]);
  await until(async () => (await inFlight('slow-60000')) === 0, { what: 'the request to be aborted' });
  expect(await rows()).toEqual(before);
  await client.post(`/api/lanes/${lane.id}/resume`);
});

it('a try-out is in no list, waits for no job of its user, and ends when its client goes away', async () => {
  await client.put('/api/settings/jobs', { running_jobs_per_user: 1 });
  const input = { suite_id: suiteId, models: ['away::perfect-ish'], cache: 'off' };
  const lane = (await client.get('/api/lanes')).body.items.find((one: any) => one.providers.includes('away'));
  await client.post(`/api/lanes/${lane.id}/pause`);
  const { job_id: runs } = (await client.post('/api/tool-eval', input)).body;
  expect((await client.get(`/api/jobs/${runs}`)).body.status).toBe('queued');
  expect((await tryOut(['sim::slow-5'])).body.results).toMatchObject([{ passed: true }]);

  const [before, asked] = [await rows(), await askedOf('slow-60000')];
  const seen = async () => [
    (await client.get('/api/jobs?orchestrated=true')).body.items.map((job: any) => job.id),
    (await client.get('/api/tool-eval/history?orchestrated=true')).body.items.map((run: any) => run.id),
    (await client.get(`/api/tool-suites/${suiteId}/versions`)).body.items,
  ];
  const shown = await seen();
  const leaving = Array.from({ length: 4 }, () => new AbortController());
  const left = leaving.map(({ signal }) =>
    fetch(`${client.url}/api/tool-eval/try`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ case: weather, suite_id: suiteId, models: ['sim::slow-60000'] }),
      signal,
    }).catch((error: Error) => error.name),
  );
  await until(async () => (await askedOf('slow-60000')) === asked + 4, { what: 'the models to be asked' });
  expect(await seen()).toEqual(shown);
  const fifth = await tryOut(['sim::slow-5']);
  expect([fifth.status, Number(fifth.headers.get('retry-after')) > 0]).toEqual([429, true]);
  leaving.forEach((one) => one.abort());
  expect(await Promise.all(left)).toEqual(Array(4).fill('AbortError'));
  await until(async () => (await goingOn()) === 0, { what: 'the try-outs to be removed' });
  await until(async () => (await inFlight('slow-60000')) === 0, { what: 'the requests to be aborted' });
  await until(async () => (await client.get('/api/jobs')).body.items.length > 0, { what: 'the list of jobs' });
  await until(async () => (await rows()).purge === before.purge, { what: 'all rows of the try-outs to be removed' });
  expect(await rows()).toEqual(before);
  await client.post(`/api/jobs/${runs}/cancel`);
  await client.post(`/api/lanes/${lane.id}/resume`);
  await client.put('/api/settings/jobs', { running_jobs_per_user: 4 });
});

it('the remains of a try-out whose API died are removed, and its cost is kept', async () => {
  const [before, spentBefore] = [await rows(), await spent()];
  const broken = tryOut(['sim::perfect-ish', 'sim::slow-60000']).catch(() => 'broken');
  await until(async () => (await sql.query('SELECT 1 FROM result JOIN try_out USING (run_id)')).rowCount, {
    what: 'the first answer',
  });
  await system.restartApi();
  expect(await broken).toBe('broken');
  expect(await goingOn()).toBe(1);
  // As if its lease had run out.
  await sql.query('UPDATE try_out SET lease_until = now()');
  await system.startWorker();
  await until(async () => (await goingOn()) === 0, { what: 'the try-out to be removed' });
  await until(async () => expect(await rows()).toEqual(before) === undefined, { what: 'all rows to be removed' });
  await until(async () => (await inFlight('slow-60000')) === 0, { what: 'the request to be aborted' });
  expect(await spent()).toBeGreaterThan(spentBefore);
});

it('a tune is watched later, across a restart of the server', async () => {
  const sensitive = { key: 'tuned', base_url: `${system.simulator.url}/v1`, limits: { max_concurrency: 20 } };
  await client.post('/api/providers', { ...sensitive, models: ['param-sensitive@50'] });
  await client.post('/api/tool-eval/import', { ...weatherSuite(40), name: 'Forty' });
  const space = ['--space', 'temperature=0..1/0.5', '--space', 'tool_choice=auto,required', '--space', 'top_p=0.5,1'];
  const base = ['--base-temperature', '1', '--base-tool-choice', 'auto', '--base-params', '{"top_k": 1.0}'];
  const args = ['tune', 'params', 'Forty', '-m', 'tuned::param-sensitive@50', ...space, ...base, '--cache', 'off'];
  const { code, out } = await cli.toolmark(...args);
  const [, id, job] = /^Submitted: tune (\S+), job (\S+)\nFollow it with: toolmark tunes show \1 --watch\n$/.exec(out)!;
  expect(code).toBe(0);
  expect((await client.get(`/api/jobs/${job}`)).body.type).toBe('param_tune');
  let printed = '';
  const watched = cli.spawned('toolmark', ['tunes', 'show', id!, '--watch'], (text) => (printed = text));
  const hasPrinted = async (text: string) => void (await until(() => printed.includes(text), { timeoutMs: 60_000 }));
  await hasPrinted('\ndropped: arm ');
  await system.restartApi(() => hasPrinted('The server does not answer. Retrying.\n'));
  expect(await watched).toMatchObject({ code: 0, out: expect.stringContaining(`Tune ${id} is completed`) });
}, 150_000);
