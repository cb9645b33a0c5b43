// A private API: the test plays the worker that counts, which finds the runs of all teams.
import { startApi, type ApiInProcess } from '../api.js';
import { clientOf, type Client } from '../client.js';
import { inProcessComparer } from '../in-process-comparer.js';
import { CALLED, EXPECTATIONS } from '../expected-and-called.js';
import { Counter } from '../../apps/worker/control/count.js';
import type { Result } from '#lib/contracts/result';
import type { Confusion, FacetBin, FacetValue, FailureGroups, RunCases, RunFacets } from '#lib/contracts/run-facets';
import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import { askForFigures } from '#lib/db/engine/run-figures';
import { completedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';

const CASES = 24;
const SAMPLES = 2;
const MODELS = ['a', 'b', 'c'];

let api: ApiInProcess;
let client: Client;
let counter: Counter;
let suiteId: string;
let runId: string;
let rescoreId: string;
let path: string;
/** `rescore_id`, if the rescore's verdicts are counted. */
let scoring: { rescore_id?: string } = {};

const CALLED_OR_NAMELESS = [...CALLED, '[{"name":"","arguments":{}}]'];
const check = (path: string, verdict: string) => ({ path, rule: 'exact', expected: { verdict: 'missing' }, verdict });
const evidence = (called: number, ...checks: object[]): string =>
  JSON.stringify({
    pairs: [{ called, expected: 0, param_score: 0.5, arguments: checks }],
    missing: [],
    unexpected: [],
  });
/** In the fifth, the second of two calls matches the expectation. */
const EVIDENCE = [
  evidence(0, check('/city', 'match'), check('/unit~1of', 'mismatch'), check('/day', 'missing')),
  evidence(0, check('/city', 'missing')),
  null,
  '{"pairs":[],"missing":[0],"unexpected":[0]}',
  evidence(1, check('/city', 'match')),
  evidence(0),
];
const OVERALLS = [0, 0.05, 0.1, 0.30000000000000004, 0.5999999999999999, 0.6, 0.8999999999999999, 0.99, 1];

/** The outcome of item `n`: every combination of filter values occurs. */
function outcomeOf(n: number) {
  const errored = n % 11 === 3;
  const passed = !errored && Math.floor(n / 6) % 3 === 0;
  return {
    outcome: errored ? 'errored' : 'scored',
    passed,
    overall: errored ? null : passed ? 1 : OVERALLS[n % OVERALLS.length],
    error_type: errored ? 'errored' : passed && n % 2 ? 'none' : ERROR_TYPES[2 + (n % 7)]!,
    error_kind: errored ? ['timeout', 'network'][n % 2] : null,
    format_compliance: errored ? null : ['native', 'repaired', 'none'][n % 3]!,
    syntax: errored ? null : [null, null, 'hermes', null, 'thoughts'][n % 5]!,
    called: errored ? '[]' : CALLED_OR_NAMELESS[n % CALLED_OR_NAMELESS.length]!,
    evidence: errored ? null : EVIDENCE[n % EVIDENCE.length]!,
    latency_ms: errored ? null : [0, 1, 7, 99, 100, 101, 317, 421, 999, 1000, 60_000][n % 11]!,
  };
}

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  counter = new Counter({ pool: api.pool, locks: api.pool, comparing: inProcessComparer(api.pool) });
  const models = MODELS.map((id) => ({ id }));
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
  const suite = {
    name: 'Weather',
    tools: ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name } })),
    test_cases: Array.from({ length: CASES }, (_, n) => ({
      name: n % 2 ? `Case ${n}` : null,
      prompt: `${n} ${'é🙂'.repeat(200)}`,
      category: ['odd', 'even', null][n % 3],
      tags: n % 4 ? [`tag-${n % 4}`, 'tagged', 'tagged'] : [],
      ...EXPECTATIONS[n % 4],
    })),
  };
  const imported = await client.post('/api/tool-eval/import', suite);
  expect(imported).toMatchObject({ status: 201 });
  suiteId = imported.body.suite_id;
  runId = await endedRun();
  rescoreId = await rescoreOf(runId);
  path = `/api/tool-eval/history/${runId}`;
}, 60_000);
afterAll(() => api.close());

/** A run with results, as left by a release that counted nothing. */
async function endedRun(status = 'completed', models = MODELS): Promise<string> {
  const body = { suite_id: suiteId, models, samples: SAMPLES };
  const {
    status: submitted,
    body: { eval_id: id, ...problem },
  } = await client.post('/api/tool-eval', body);
  expect({ submitted, problem }).toMatchObject({ submitted: 202 });
  // A tool that is in no suite, expected by one case.
  await api.pool.query(
    `UPDATE suite_version_case SET body = replace(body, '"get_weather"', '"search"') WHERE position = 4
       AND version_id = (SELECT suite_version_id FROM run WHERE id = $1)`,
    [id],
  );
  const items = models.flatMap((_, target) =>
    Array.from({ length: CASES * SAMPLES }, (_, n) => ({
      target,
      case_position: n % CASES,
      sample: Math.floor(n / CASES),
      seq: target * CASES * SAMPLES + n + 1,
      category: ['odd', 'even', null][(n % CASES) % 3],
      // All models fail on every sixth case.
      ...outcomeOf(n % 6 === 5 ? 11 + 18 * (n % 7) : n * 5 + target),
    })),
  );
  await api.pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       error_kind, format_compliance, syntax, abstention, category, called, evidence, scoring_version, latency_ms,
       attempts)
     SELECT $1, target, case_position, sample, 1, seq, outcome, passed, overall, error_type, error_kind,
       format_compliance, syntax, false, category, called, evidence, 3, latency_ms, 1
     FROM json_to_recordset($2) AS u (target int, case_position int, sample int, seq int, outcome text, passed bool,
       overall float8, error_type text, error_kind text, format_compliance text, syntax text, category text,
       called text, evidence text, latency_ms int)`,
    [id, JSON.stringify(items)],
  );
  await api.pool.query('UPDATE target SET settled = n WHERE run_id = $1', [id]);
  await api.pool.query('UPDATE run SET status = $2 WHERE id = $1', [id, status]);
  return id;
}

/** Different verdicts of the same replies, as a rescore leaves them. Some have none. */
async function rescoreOf(id: string): Promise<string> {
  const { body } = await client.post(`/api/tool-eval/history/${id}/rescore`, { pass_threshold: 0.1 });
  const items = MODELS.flatMap((_, target) =>
    Array.from({ length: CASES * SAMPLES }, (_, n) => ({
      target,
      case_position: n % CASES,
      sample: Math.floor(n / CASES),
      ...outcomeOf(n % 5 === 4 ? 11 + 18 * (n % 7) : n * 7 + target * 3),
    })),
  ).filter(({ outcome }) => outcome === 'scored');
  await api.pool.query(
    `INSERT INTO rescored (run_id, rescore_id, target, case_position, sample, passed, overall, error_type,
       format_compliance, syntax, called, evidence)
     SELECT $1, $2, target, case_position, sample, passed, overall, error_type, format_compliance, syntax, called,
       evidence
     FROM json_to_recordset($3) AS u (target int, case_position int, sample int, passed bool, overall float8,
       error_type text, format_compliance text, syntax text, called text, evidence text)`,
    [id, body.rescore_id, JSON.stringify(items)],
  );
  await api.pool.query(`UPDATE job SET status = 'completed' WHERE id = $1`, [body.job_id]);
  return body.rescore_id;
}

/** By then, requested figures are counted. */
async function countAll(): Promise<void> {
  for (const run of await counter.toCount()) await counter.count(run, new AbortController().signal);
}
const withScoring = (of: string): string =>
  `${of}${of.includes('?') ? '&' : '?'}${new URLSearchParams(scoring as Record<string, string>)}`;
async function counted<Figures>(of: string): Promise<Figures> {
  const answer = await client.get(withScoring(of));
  expect({ of, status: answer.status }).toEqual({ of, status: 200 });
  return answer.body;
}
async function resultsOf(query: Record<string, string>, id = runId): Promise<Result[]> {
  const { status, body } = await client.get(
    `/api/tool-eval/history/${id}/results?limit=200&${new URLSearchParams({ ...scoring, ...query })}`,
  );
  expect({ query, status, next: body.next_cursor }).toEqual({ query, status: 200, next: null });
  return body.items;
}
const byTarget = (results: readonly Result[]): number[][] =>
  MODELS.map((model) => {
    const own = results.filter(({ target }) => target === `sim::${model}`);
    const passed = own.filter((result) => result.passed).length;
    const errored = own.filter(({ outcome }) => outcome === 'errored').length;
    return [passed, own.length - passed - errored, errored];
  });

describe.each(['a run', 'a rescore'])('of %s', (of) => {
  beforeAll(() => {
    if (of === 'a rescore') scoring = { rescore_id: rescoreId };
  });
  afterAll(() => {
    scoring = {};
  });

  it('a run that ended uncounted is counted on the first request', async () => {
    for (const figures of ['facets', 'confusion', 'failures', 'cases', 'failures/1-1/draw'])
      expect(await client.get(withScoring(`${path}/${figures}`))).toMatchObject({
        status: 202,
        body: { status: 'counting' },
      });
    await countAll();
    const { targets, totals, counted_at } = await counted<RunFacets>(`${path}/facets`);
    expect(targets).toEqual(MODELS.map((model) => `sim::${model}`));
    expect(totals).toEqual(byTarget(await resultsOf({})));
    expect(await counter.toCount()).toEqual([]);
    expect((await counted<RunFacets>(`${path}/facets`)).counted_at).toBe(counted_at);
  });

  it.each(['error_type', 'category', 'expected_tool', 'called_tool', 'format', 'syntax', 'tag'] as const)(
    'counts by %s as many results as a list filtered by it has',
    async (facet) => {
      const { values, others } = (await counted<RunFacets>(`${path}/facets`))[facet];
      expect(others).toBe(0);
      expect(values.length).toBeGreaterThan(1);
      for (const { value, by_target } of values)
        expect({ value, by_target }).toEqual({ value, by_target: byTarget(await resultsOf({ [facet]: value })) });
      const totals = values.map(({ by_target }: FacetValue) => by_target.flat().reduce((sum, n) => sum + n, 0));
      expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    },
  );

  it.each([
    ['latency_ms', 'latency_min_ms', 'latency_max_ms'],
    ['overall', 'overall_min', 'overall_max'],
  ] as const)(
    'counts in each bin of %s as many results as a list has within its limits',
    async (facet, least, most) => {
      const bins: FacetBin[] = (await counted<RunFacets>(`${path}/facets`))[facet];
      let all = 0;
      for (const { from, to, by_target } of bins) {
        const found = await resultsOf({ [least]: String(from), [most]: String(to) });
        expect({ from, by_target }).toEqual({ from, by_target: byTarget(found) });
        all += found.length;
      }
      expect(all).toBe((await resultsOf({ [least]: '0' })).length);
    },
  );

  it('counts in each cell of the confusion as many results as a list of both tools has', async () => {
    for (const model of [undefined, 'sim::b']) {
      const of = model ? { model } : undefined;
      const { expected, called, cells } = await counted<Confusion>(
        `${path}/confusion?${new URLSearchParams(of && { target: model! })}`,
      );
      expect(expected).toEqual(expect.arrayContaining(['get_weather', 'get_time or get_weather', 'search', '(none)']));
      expect(called).toEqual(expect.arrayContaining(['get_weather', 'get_time', 'search', '(none)', '(unknown)']));
      for (const [row, expected_tool] of expected.entries())
        for (const [column, called_tool] of called.entries()) {
          const found = await resultsOf({ expected_tool, called_tool, ...of });
          expect({ expected_tool, called_tool, n: cells[row]![column] }).toMatchObject({ n: found.length });
        }
    }
    expect(await client.get(withScoring(`${path}/confusion?target=sim::gone`))).toMatchObject({ status: 422 });
  });

  it('groups failures, and draws the same sample of a group with the same seed', async () => {
    const { items, others, types } = await counted<FailureGroups>(`${path}/failures`);
    const failed = await resultsOf({ passed: 'false' });
    const byType = Map.groupBy(failed, ({ error_type }) => error_type);
    expect(new Map(types.map(({ error_type, count }) => [error_type, count]))).toEqual(
      new Map([...byType].map(([type, { length }]) => [type, length])),
    );
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(failed.length);
    expect(others).toEqual({ groups: 0, results: 0 });
    expect(items.map(({ count }) => count)).toEqual(items.map(({ count }) => count).toSorted((a, b) => b - a));
    expect(new Set(items.map(({ argument }) => argument))).toEqual(new Set(['/unit~1of', '/city', null]));
    expect(new Set(items.filter((one) => one.error_type === 'errored').map((one) => one.called_tool))).toEqual(
      new Set(['timeout', 'network', ...(of === 'a rescore' ? ['not_scored'] : [])]),
    );
    const differing = items.filter(({ difference }) => difference !== null);
    expect(differing.length).toBeGreaterThan(0);
    for (const { argument, difference } of differing) expect([argument, null]).toContain(difference!.argument);
    for (const { id, error_type, count, by_target, example } of items) {
      const draw = async (query = '') =>
        (await counted<{ items: Result[] }>(`${path}/failures/${id}/draw?${query}`)).items;
      const drawn = await draw();
      expect(drawn).toHaveLength(Math.min(count, 40));
      expect(new Set(drawn.map((result) => result.error_type))).toEqual(new Set([error_type]));
      expect(drawn.every(({ passed, evidence }) => !passed && evidence === null)).toBe(true);
      expect(byTarget(drawn).map(([, failed, errored]) => failed! + errored!)).toEqual(by_target);
      expect(drawn.map((result) => result.id)).toContain(example);
      expect(await draw('seed=1')).toEqual(drawn);
      expect((await draw('seed=2&count=1'))[0]!.id).toBe((await draw('seed=2'))[0]!.id);
    }
    const ofOne = await counted<FailureGroups>(`${path}/failures?error_type=errored`);
    expect(ofOne.items).toEqual(items.filter(({ error_type }) => error_type === 'errored'));
    for (const gone of ['1-999', '2-1', 'x'])
      expect((await client.get(withScoring(`${path}/failures/${gone}/draw`))).status).toBe(404);
  });

  it('lists the cases on which models differ, all of them, or those that no model passed', async () => {
    const all = await counted<RunCases>(`${path}/cases?show=all`);
    expect(all).toMatchObject({ total: CASES, next_cursor: null, counts: { all: CASES } });
    for (const { case_id, case_name, position, prompt, category, cells } of all.items) {
      const results = await resultsOf({ case_id });
      expect(results[0]).toMatchObject({ case_name, category });
      expect(results[0]!.prompt.startsWith(prompt)).toBe(true);
      expect([...prompt]).toHaveLength(200);
      expect(position).toBe(Number(prompt.split(' ')[0]));
      expect(cells.map(({ scored, passed, errored }) => [passed, scored - passed, errored])).toEqual(byTarget(results));
      const scores = results.flatMap(({ target, overall }) =>
        target === 'sim::a' && overall !== null ? [overall] : [],
      );
      const sum = scores.reduce((total, score) => total + score, 0);
      if (scores.length) expect(cells[0]!.mean).toBeCloseTo(sum / scores.length, 12);
      else expect(cells[0]!.mean).toBeNull();
    }
    const shares = ({ cells }: RunCases['items'][number]): number[] =>
      cells.flatMap(({ scored, passed }) => (scored ? [passed / scored] : []));
    const differing = all.items.filter((one) => new Set(shares(one)).size > 1);
    const none = all.items.filter((one) => shares(one).length > 0 && shares(one).every((share) => share === 0));
    expect(differing.length * none.length).toBeGreaterThan(0);
    expect(await counted(`${path}/cases`)).toMatchObject({ total: differing.length, items: differing });
    expect(all.counts).toEqual({ all: CASES, differing: differing.length, all_failed: none.length });
    expect(await counted(`${path}/cases?show=all_failed`)).toMatchObject({ total: none.length, items: none });
    const first = await counted<RunCases>(`${path}/cases?show=all&limit=20`);
    const second = await counted<RunCases>(`${path}/cases?show=all&limit=20&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect((await client.get(`${path}/cases?cursor=x`)).status).toBe(400);
  });

  it.each(['as the release before counted them', 'as this one counts them'])(
    'orders cases by disagreement, failures and category, and filters them, %s',
    async (form) => {
      const all = (await counted<RunCases>(`${path}/cases?show=all`)).items;
      const isBefore = form.includes('before');
      await api.pool.query('UPDATE run_figures SET ordered_generation = $2 WHERE run_id = $1', [
        runId,
        isBefore ? null : 1,
      ]);
      const sharesOf = ({ cells }: RunCases['items'][number]): number[] =>
        cells.flatMap(({ scored, passed }) => (scored ? [passed / scored] : []));
      const meanOf = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
      const failing = (one: RunCases['items'][number]): number =>
        sharesOf(one).length === 0 ? -1 : 1 - meanOf(sharesOf(one));
      const disagreement = (one: RunCases['items'][number]): number => {
        const shares = sharesOf(one);
        return shares.length === 0 ? 0 : meanOf(shares.map((share) => (share - meanOf(shares)) ** 2));
      };
      const ordered = (value: (one: RunCases['items'][number]) => number) =>
        all.toSorted((one, other) => {
          const apart = value(other) - value(one);
          return Math.abs(apart) > 1e-6 ? apart : one.position - other.position;
        });
      const idsOf = (items: readonly { case_id: string }[]): string[] => items.map(({ case_id: id }) => id);
      const listed = async (query: string): Promise<RunCases> => counted(`${path}/cases?show=all&${query}`);
      const byDisagreement = idsOf(ordered(disagreement));
      expect(idsOf((await listed('order=disagreement')).items)).toEqual(byDisagreement);
      expect(idsOf((await listed('order=failures')).items)).toEqual(idsOf(ordered(failing)));
      const groups = ['even', 'odd', null].map((category) => all.filter((one) => one.category === category));
      const byCategory = await listed('order=category');
      expect(idsOf(byCategory.items)).toEqual(idsOf(groups.flat()));
      expect(byCategory.categories).toEqual(
        groups.map((group) => ({ category: group[0]!.category, cases: group.length })),
      );
      const first = await listed('order=disagreement&limit=5');
      const second = await listed(`order=disagreement&limit=5&cursor=${first.next_cursor}`);
      const tenth = await listed('order=category&limit=5&from=10');
      expect(idsOf([...first.items, ...second.items])).toEqual(byDisagreement.slice(0, 10));
      expect(idsOf(tenth.items)).toEqual(idsOf(groups.flat()).slice(10, 15));
      expect(idsOf((await listed('limit=5&from=22')).items)).toEqual(idsOf(all).slice(22));
      const odd = all.filter(({ category }) => category === 'odd');
      expect(await listed('category=odd')).toMatchObject({ total: odd.length, items: odd, categories: [] });
      const tagged = all.filter(({ position }) => position % 4 === 1);
      expect(idsOf((await listed('tag=tag-1&tag=gone&order=failures')).items).toSorted()).toEqual(
        idsOf(tagged).toSorted(),
      );
      const [compact] = (await listed('compact=true&limit=1')).items;
      expect(compact).toMatchObject({
        cells: [],
        by_target: all[0]!.cells.map(({ scored, passed, errored }) => [passed, scored - passed, errored]),
      });
    },
  );
});

it('is counted again after a resume, and answers 409 while it is running', async () => {
  const id = await endedRun('completed', ['a']);
  const facets = () => client.get(`/api/tool-eval/history/${id}/facets`);
  expect((await facets()).status).toBe(202);
  await countAll();
  expect((await facets()).status).toBe(200);
  // In the form in which the previous release counted them.
  await api.pool.query(`UPDATE run_figures SET facets = (facets::jsonb - 'syntax')::text WHERE run_id = $1`, [id]);
  expect((await facets()).body.syntax).toEqual({ values: [], others: 0 });
  await api.pool.query(`UPDATE run SET status = 'running', generation = 2 WHERE id = $1`, [id]);
  expect(await facets()).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('The run is running') },
  });
  await api.pool.query('DELETE FROM result WHERE run_id = $1 AND (case_position > 3 OR passed)', [id]);
  await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [id]);
  expect((await facets()).status).toBe(202);
  await countAll();
  expect((await facets()).body.totals).toEqual(byTarget(await resultsOf({}, id)).slice(0, 1));
  const { total } = await counted<RunCases>(`/api/tool-eval/history/${id}/cases?show=all`);
  const positions = await api.pool.query('SELECT DISTINCT case_position FROM result WHERE run_id = $1', [id]);
  expect(total).toBe(positions.rowCount);
  const rows = await api.pool.query('SELECT generation FROM case_figures WHERE run_id = $1', [id]);
  expect(rows.rows).toEqual(Array.from({ length: total }, () => ({ generation: 2 })));
});

it('answers without any results, and only for runs of the team', async () => {
  const { eval_id: id } = (await client.post('/api/tool-eval', { suite_id: suiteId, models: ['a'] })).body;
  await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [id]);
  expect((await client.get(`/api/tool-eval/history/${id}/facets`)).status).toBe(202);
  await countAll();
  const facets = await counted<RunFacets>(`/api/tool-eval/history/${id}/facets`);
  expect(facets).toMatchObject({ totals: [[0, 0, 0]], latency_ms: [], tag: { values: [], others: 0 } });
  expect(await counted(`/api/tool-eval/history/${id}/cases`)).toMatchObject({ total: 0, items: [] });
  const { body } = await client.post('/api/teams', { name: 'others' });
  const other = clientOf(api.url, body.token.token);
  for (const figures of ['facets', 'confusion', 'failures', 'failures/1-1/draw', 'cases'])
    expect((await other.get(`${path}/${figures}`)).status).toBe(404);
});

it('keeps the most frequent of ten thousand tags, and reads evidence of any depth and length', async () => {
  const test_cases = Array.from({ length: 200 }, (_, n) => ({
    prompt: 'hi',
    tags: [...Array.from({ length: 49 }, (_, tag) => `${n} ${tag} ${'é'.repeat(80)}`), `tenth ${n % 10}`],
    expected_tool: 'get_weather',
  }));
  const tools = [{ type: 'function', function: { name: 'get_weather' } }];
  const { body } = await client.post('/api/tool-eval/import', { name: 'Tags', tools, test_cases });
  const { eval_id: id } = (await client.post('/api/tool-eval', { suite_id: body.suite_id, models: ['a'] })).body;
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
  const long = evidence(0, { ...check('/a', 'match'), actual: '{"verdict":"missing"'.repeat(50_000) });
  await api.pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       abstention, called, evidence, scoring_version, attempts)
     SELECT $1, 0, n, 0, 1, n + 1, 'scored', false, 0, 'wrong_argument', false, $2,
       CASE WHEN n % 20 = 7 THEN $3 ELSE $4 END, 3, 1
     FROM generate_series(0, 199) n`,
    [
      id,
      JSON.stringify([{ name: 'get_weather'.repeat(10_000), arguments: { deep } }]),
      long,
      evidence(1, { ...check('/deep', 'mismatch'), actual: deep }),
    ],
  );
  await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [id]);
  await client.get(`/api/tool-eval/history/${id}/facets`);
  await countAll();
  const { tag, called_tool } = await counted<RunFacets>(`/api/tool-eval/history/${id}/facets`);
  expect(tag.values.slice(0, 10).map(({ value, by_target }) => [value, by_target])).toEqual(
    Array.from({ length: 10 }, (_, n) => [`tenth ${n}`, [[0, 20, 0]]]),
  );
  expect([tag.values.length, tag.others]).toEqual([200, 49 * 200 + 10 - 200]);
  expect(called_tool.values).toEqual([{ value: '(unknown)', by_target: [[0, 200, 0]] }]);
  const { items } = await counted<FailureGroups>(`/api/tool-eval/history/${id}/failures`);
  expect(items.map(({ argument, count }) => [argument, count])).toEqual([
    ['/deep', 190],
    [null, 10],
  ]);
});

it('of a rescore are counted again after a resume, and are refused until it is completed', async () => {
  const id = await endedRun('completed', ['a']);
  const other = await rescoreOf(runId);
  const own = await rescoreOf(id);
  const facets = (rescore: string) => client.get(`/api/tool-eval/history/${id}/facets?rescore_id=${rescore}`);
  for (const unknown of [other, id])
    expect(await facets(unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/rescore_id', message: 'does not exist' }] },
    });
  const setStatus = (status: string) =>
    api.pool.query('UPDATE job SET status = $2 WHERE result_ref = $1', [own, status]);
  await setStatus('running');
  expect(await facets(own)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('is running') } });
  await setStatus('completed');
  expect((await facets(own)).status).toBe(202);
  await countAll();
  const before = (await facets(own)).body;
  await client.get(`/api/tool-eval/history/${id}/facets`);
  await countAll();
  expect((await facets(own)).body).toEqual(before);
  await api.pool.query('DELETE FROM result WHERE run_id = $1 AND case_position > 3', [id]);
  await api.pool.query('UPDATE run SET generation = 2 WHERE id = $1', [id]);
  expect((await facets(own)).status).toBe(202);
  await countAll();
  const { totals } = (await facets(own)).body as RunFacets;
  expect(totals).toEqual(byTarget(await resultsOf({ rescore_id: own }, id)).slice(0, 1));
  expect(totals).not.toEqual(before.totals);
});

it('leaves nothing behind when it is deleted while being counted', async () => {
  const id = await endedRun('completed', ['a']);
  await client.get(`/api/tool-eval/history/${id}/facets`);
  const [run] = await counter.toCount();
  expect((await client.delete(`/api/tool-eval/history/${id}`)).status).toBe(204);
  await counter.count(run!, new AbortController().signal);
  const left = await api.pool.query(
    `SELECT run_id FROM run_figures WHERE run_id = $1 UNION ALL SELECT run_id FROM case_figures WHERE run_id = $1
     UNION ALL SELECT run_id FROM failure_group WHERE run_id = $1`,
    [id],
  );
  expect(left.rows).toEqual([]);
});

it('a team with many rescores to count does not delay other teams', async () => {
  const id = await endedRun('completed', ['a']);
  for (let n = 0; n < 7; n++) await askForFigures(api.pool, { runId: id, rescoreId: newId() });
  const other = await createTeam(api.pool, { cases: 1 });
  const others = await completedRun(api.pool, other, { results: { a: [[1]] } });
  await askForFigures(api.pool, { runId: others });
  const waiting = (await counter.toCount()).map((run) => run.runId);
  expect(waiting.filter((one) => one === id)).toHaveLength(5);
  expect(waiting.indexOf(others)).toBeLessThan(2);
});
