import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../../test/services.js';
import { insertRow } from '../connection/insert-row.js';
import { createPool, type Pool } from '../connection/pool.js';
import { createTeam } from '../testing/run-fixture.js';
import { NO_CALL, UNKNOWN_TOOL } from './case-measurements.js';
import { ComparableRunRepository } from './comparable-runs.js';
import { EXPECTED_LABELS } from './expected-tool.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)), 60_000);
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;

/** A team, and a run of its suite with the results that a test needs. */
async function aRun(team: Team, more: Parameters<Team['submit']>[0] = {}) {
  const { runId } = await team.submit(more);
  let seq = 0;
  return {
    runId,
    settle: (casePosition: number, result: Record<string, unknown> = {}) =>
      insertRow(pool, 'result', {
        run_id: runId,
        target: 0,
        case_position: casePosition,
        sample: 0,
        generation: 1,
        seq: ++seq,
        outcome: 'scored',
        passed: result.overall === undefined || result.overall === 1,
        overall: result.outcome === 'errored' ? null : 1,
        error_type: 'none',
        abstention: false,
        called: '[]',
        scoring_version: 3,
        attempts: 1,
        ...result,
      }),
  };
}

/** Replaces the cases of a team's suite, which creates a new version of it. */
async function setCases(team: Team, bodies: Record<string, unknown>[]): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM suite_case WHERE suite_id = $1 ORDER BY position', [
    team.suiteId,
  ]);
  for (const [n, { id }] of rows.entries()) {
    const { category = null, tags = [], ...body } = bodies[n] ?? { prompt: 'hi', expected_tool: null };
    await pool.query('UPDATE suite_case SET body = $2, category = $3, tags = $4 WHERE id = $1', [
      id,
      JSON.stringify(body),
      category,
      tags,
    ]);
  }
  await pool.query('UPDATE suite SET version = version + 1 WHERE id = $1', [team.suiteId]);
}

type Measured = { rescoreId?: string; measure?: string; positions?: number[] };
const measured = (team: { teamId: string }, id: string, { rescoreId, ...more }: Measured = {}) =>
  new ComparableRunRepository(pool, team.teamId).measure(
    { id, rescore: rescoreId ? { id: rescoreId } : null, extensions: [] },
    { ordinal: 0 },
    { measure: 'overall', tools: ['get_weather', 'find_city'], ...more },
  );
const call = (name: string, args: object = {}): object => ({ name, arguments: args });

it('returns for each case the scored samples, their mean and variance, errors, cost and latencies', async () => {
  const team = await createTeam(pool);
  const { runId, settle } = await aRun(team, { samples: 3 });
  await settle(0, { overall: 1, cost_usd: 0.25, latency_ms: 10 });
  await settle(0, { sample: 1, overall: 0.5, cost_usd: 0.5, latency_ms: 30 });
  await settle(0, { sample: 2, outcome: 'errored', passed: false, cost_usd: 0.25, latency_ms: 99 });
  await settle(1, { outcome: 'errored', passed: false });
  expect(await measured(team, runId)).toEqual([
    expect.objectContaining({
      position: 0,
      scored: 2,
      errored: 1,
      passed: 1,
      mean: 0.75,
      variance: 0.125,
      overall_sum: 1.5,
      overall_count: 2,
      cost: 1,
      latencies: '10 30',
    }),
    expect.objectContaining({ position: 1, scored: 0, errored: 1, passed: 0, mean: null, variance: null, cost: null }),
  ]);
  expect(await measured(team, runId, { measure: 'passed' })).toMatchObject([
    { mean: 0.5, variance: 0.5 },
    { mean: null },
  ]);
  expect(await measured(team, runId, { positions: [1] })).toMatchObject([{ position: 1 }]);
});

it('reads a metric even next to texts that Postgres cannot parse, and omits it where it does not apply', async () => {
  const team = await createTeam(pool);
  const { runId, settle } = await aRun(team);
  const metrics = (score: number | null, reason: string) =>
    JSON.stringify({ f1: { score, reason }, other: { score: 0 } });
  await settle(0, { metrics: metrics(0.25, 'plain') });
  await settle(1, { metrics: metrics(0.5, 'a \u0000, a \ud800, and \\u0000 in words, once more \\\u0000') });
  await settle(2, { metrics: metrics(null, '') });
  await settle(3, { metrics: null });
  expect(await measured(team, runId, { measure: 'f1' })).toMatchObject([
    { scored: 1, mean: 0.25 },
    { scored: 1, mean: 0.5 },
    { scored: 0, mean: null },
    { scored: 0, mean: null },
  ]);
});

it('returns the tool that each sample called: the one that matches an expected call, else the first', async () => {
  const team = await createTeam(pool, { cases: 9 });
  const { runId, settle } = await aRun(team);
  const evidence = (pairs: object[]) => JSON.stringify({ pairs, missing: [], unexpected: [] });
  const answers: [unknown[], string | null, number][] = [
    [[], evidence([]), NO_CALL],
    [[call('get_weather')], evidence([{ called: 0, expected: 0 }]), 0],
    [[call('GET_Weather')], null, 0],
    [[call('find_city'), call('get_weather')], evidence([{ called: 1, expected: 0, arguments: ['\u0000'] }]), 0],
    [[call('find_city'), call('get_weather')], evidence([]), 1],
    [[call('rain_dance')], evidence([]), UNKNOWN_TOOL],
    [[call('get_weather', { city: 'a\u0000b\ud800' })], '{"missing":[0],"pairs":[]}', 0],
    [[{ arguments: { city: '\\u0000' }, name: 'find_city' }], null, 1],
    [[call(`get_weather\u0000"${'x'.repeat(3000)}`)], null, UNKNOWN_TOOL],
  ];
  for (const [position, [called, found]] of answers.entries())
    await settle(position, { called: JSON.stringify(called), evidence: found });
  expect((await measured(team, runId)).map((one) => Number(one.called))).toEqual(answers.map(([, , index]) => index));
});

it('uses the verdicts of a rescore instead of the original ones', async () => {
  const team = await createTeam(pool);
  const { runId, settle } = await aRun(team);
  await settle(0, { overall: 0, passed: false, cost_usd: 1 });
  await settle(1, { overall: 1 });
  const [rescoreId, jobId] = [newId(), newId()];
  await insertRow(pool, 'job', {
    id: jobId,
    team_id: team.teamId,
    user_id: team.userId,
    type: 'rescore',
    status: 'completed',
  });
  await insertRow(pool, 'rescore', {
    id: rescoreId,
    team_id: team.teamId,
    run_id: runId,
    job_id: jobId,
    options: '{"metrics":[]}',
    scoring_version: 7,
  });
  await insertRow(pool, 'rescored', {
    run_id: runId,
    rescore_id: rescoreId,
    target: 0,
    case_position: 0,
    sample: 0,
    passed: true,
    overall: 1,
    error_type: 'none',
    called: '[]',
    metrics: '{"f1":{"score":0.75}}',
  });
  expect(await measured(team, runId, { rescoreId })).toMatchObject([
    { scored: 1, errored: 0, mean: 1, cost: 1 },
    { scored: 0, errored: 1, mean: null },
  ]);
  expect(await measured(team, runId, { rescoreId, measure: 'f1' })).toMatchObject([{ mean: 0.75 }, { mean: null }]);
  const runs = new ComparableRunRepository(pool, team.teamId);
  expect(await runs.read(runId, { rescoreId })).toMatchObject({ rescore: { id: rescoreId }, scoringVersions: [7] });
  expect(await runs.read(runId)).toMatchObject({ rescore: null, scoringVersions: [3] });
  const other = await aRun(team);
  await expect(runs.read(other.runId, { rescoreId })).rejects.toMatchObject({ status: 404 });
});

it('treats a run of another team as nonexistent', async () => {
  const [team, other] = [await createTeam(pool), await createTeam(pool)];
  const { runId, settle } = await aRun(team);
  await settle(0);
  const [theirs, ours] = [team, other].map(({ teamId }) => new ComparableRunRepository(pool, teamId));
  await expect(ours!.readGenerations([runId])).rejects.toMatchObject({ status: 404 });
  const run = await theirs!.read(runId);
  const unknown = newId();
  const words = (id: string) => ours!.read(id).catch(({ message }: Error) => message.replace(id, 'ID'));
  expect(await words(runId)).toBe(await words(unknown));
  expect(await measured(other, runId)).toEqual([]);
  expect(await ours!.readHeads(run)).toEqual([]);
  expect(await ours!.pairCases(run, run)).toEqual([]);
});

it('finds identical cases of two suite versions without reading them', async () => {
  const team = await createTeam(pool);
  const runs = new ComparableRunRepository(pool, team.teamId);
  const first = await runs.read((await aRun(team)).runId);
  await setCases(team, [
    { prompt: 'hi', expected_tool: null },
    { prompt: 'changed', expected_tool: null },
  ]);
  const second = await runs.read((await aRun(team)).runId);
  expect(second.versionId).not.toBe(first.versionId);
  const places = await runs.pairCases(first, second);
  expect(places.map(({ a, b, identical }) => [a, b, identical])).toEqual([
    [0, 0, true],
    [1, 1, false],
    [2, 2, true],
    [3, 3, true],
  ]);
  const some = { ...first, positions: [2] };
  expect((await runs.pairCases(some, second)).filter(({ a }) => a !== null)).toMatchObject([{ a: 2, b: 2 }]);
  const read: object[] = [];
  for await (const page of runs.readCases(second, [1])) read.push(...page);
  expect(read).toMatchObject([{ position: 1, body: expect.stringContaining('changed') }]);
});

it('returns the expected tool of each case, and the cluster from its tags', async () => {
  const team = await createTeam(pool, { cases: 6 });
  await setCases(team, [
    { expected_tool: 'get_weather', category: 'current', tags: ['easy', 'intent:rain', 'intent:sun'] },
    { expected_tool: ['get_weather', 'find_city'], tags: ['intent'] },
    { expected_calls: [{ tool: 'find_city' }, { tool: 'get_weather' }] },
    { expected_calls: [] },
    { expected_tool: null },
    { should_call_tool: false, prompt: '\\u0000' },
  ]);
  const runs = new ComparableRunRepository(pool, team.teamId);
  const heads = await runs.readHeads(await runs.read((await aRun(team)).runId), 'intent:');
  expect(heads.map(({ tool }) => tool)).toEqual([
    'get_weather',
    'get_weather or find_city',
    'find_city',
    null,
    null,
    null,
  ]);
  expect(heads[0]).toEqual({ position: 0, category: 'current', tool: 'get_weather', cluster: 'intent:rain' });
  expect(heads[1]).toMatchObject({ category: null, cluster: null });
});

it('reads a run as of the start of the snapshot, even if it is deleted meanwhile', async () => {
  const team = await createTeam(pool);
  const { runId, settle } = await aRun(team);
  await settle(0);
  const read = await ComparableRunRepository.inSnapshot(pool, team.teamId, async (runs) => {
    const run = await runs.read(runId);
    await pool.query('DELETE FROM result WHERE run_id = $1', [runId]);
    return runs.measure(run, { ordinal: 0 }, { measure: 'overall', tools: [] });
  });
  expect(read).toMatchObject([{ position: 0, scored: 1 }]);
  expect(await measured(team, runId)).toEqual([]);
});

it.each<[of: string, body: object, labels: string[]]>([
  ['a goal with calls', { conversation: { goal: { calls: [{ tool: 'a' }, { tool: 'b' }] } } }, ['a']],
  ['a goal with either tool', { conversation: { goal: { calls: [{ tool: ['a', 'b'] }] } } }, ['a', 'b', 'a or b']],
  ['a goal without any call', { conversation: { goal: { calls: [] } } }, ['(none)']],
  ['a goal that does not say', { conversation: { goal: { state: { '/a': 1 } } } }, ['(any)']],
  ['an argument named so', { expected_tool: 'a', expected_params: { conversation: { id: 1 } } }, ['a']],
])('a case of %s expects its tools', async (_of, body, labels) => {
  const sql = `SELECT ${EXPECTED_LABELS} AS labels FROM (VALUES ($1::text)) c (body)`;
  expect((await pool.query(sql, [JSON.stringify(body)])).rows).toEqual([{ labels }]);
});
