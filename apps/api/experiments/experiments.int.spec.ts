// Needs its own API, in this process: a test counts the queries of its pool.
import type { BaselineComparison } from '#lib/contracts/comparison';
import { RunInput } from '#lib/contracts/run-input';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

const NOBODY = '01a1fc11-0570-72f9-b84b-b15294fa812e';

let api: ApiInProcess;
let client: Client;
let others: Client;
let suiteId: string;

const provider = { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }, { id: 'b' }] };

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  others = clientOf(api.url, (await client.post('/api/teams', { name: 'others' })).body.token.token);
  for (const team of [client, others]) await team.post('/api/providers', provider);
  suiteId = await importSuite();
}, 60_000);
afterAll(() => api.close());

const importSuite = async (as: Client = client): Promise<string> =>
  (await as.post('/api/tool-eval/import', weatherSuite(6))).body.suite_id;

async function makeExperiment(more: object = {}, as: Client = client): Promise<string> {
  const made = await as.post('/api/experiments', { name: 'e', suite_id: suiteId, ...more });
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body.id;
}

async function submit(more: object = {}, as: Client = client): Promise<string> {
  const submitted = await as.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });
  expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
  return submitted.body.eval_id;
}

/** Writes what a worker stores for a completed run. */
async function complete(
  runId: string,
  {
    score = 0.5,
    at = '2026-11-20T09:00:00.000Z',
    ...more
  }: { score?: number | null; at?: string; status?: string } = {},
): Promise<string> {
  await api.pool.query('UPDATE run SET status = $2, score = $3, finished_at = $4 WHERE id = $1', [
    runId,
    more.status ?? 'completed',
    score,
    at,
  ]);
  await api.pool.query(`UPDATE job SET status = 'completed', finished_at = $2 WHERE result_ref = $1::text`, [
    runId,
    at,
  ]);
  return runId;
}

/** A completed run of the experiment that was compared with the baseline. */
async function completeIn(
  experimentId: string,
  input: object = {},
  ended: Parameters<typeof complete>[1] = {},
): Promise<string> {
  return complete(await submit({ experiment_id: experimentId, ...input }), ended);
}

/** Writes what a worker stores after it compared a run with the baseline of its experiment. */
async function compare(
  experimentId: string,
  runId: string,
  against: string,
  {
    delta = 0.1,
    verdict = 'improved',
    p = 0.01,
    models,
  }: { delta?: number; verdict?: string; p?: number | null; models?: BaselineComparison['models'] } = {},
): Promise<void> {
  const comparison: BaselineComparison = {
    baseline_eval_id: against,
    verdict: verdict as BaselineComparison['verdict'],
    difference: delta,
    ci: [delta - 0.05, delta + 0.05],
    p,
    n_cases: 6,
    small: false,
    text: 'It is better.',
    models,
  };
  await api.pool.query('UPDATE run SET delta = $2, comparison = $3 WHERE id = $1', [
    runId,
    delta,
    JSON.stringify(comparison),
  ]);
  await api.pool.query(
    `INSERT INTO experiment_comparison (experiment_id, run_id, against_run_id, run_generation, against_generation,
       delta, differs, comparison) VALUES ($1, $2, $3, 1, 1, $4, '{}', $5)`,
    [experimentId, runId, against, delta, JSON.stringify(comparison)],
  );
}

/** Writes what a worker stores when it has updated the figures of an experiment. */
const refresh = (id: string, bestId: string | null, tiedWith: string[] = []) =>
  api.pool.query(
    'UPDATE experiment SET best_run_id = $2, tied_with = $3, refreshed_revision = revision WHERE id = $1',
    [id, bestId, tiedWith],
  );

const read = async (id: string) => (await client.get(`/api/experiments/${id}`)).body;
const audits = async (subject: string): Promise<string[]> =>
  (await api.pool.query('SELECT action FROM audit WHERE subject = $1 ORDER BY id', [subject])).rows.map(
    ({ action }) => action,
  );

describe('an experiment', () => {
  it('starts without a baseline, says so, and uses a margin of two points of the overall score', async () => {
    const made = await client.post('/api/experiments', { name: ' Shorter ', suite_id: suiteId });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Shorter',
        suite_id: suiteId,
        suite_name: 'Weather',
        description: '',
        status: 'active',
        margin: 0.02,
        measure: 'overall',
        baseline_eval_id: null,
        baseline_score: null,
        baseline_set_by: null,
        run_count: 0,
        comparisons: { made: 0, expected_false_alarms: 0, improved_after_correction: [] },
        best: null,
        notes: [expect.stringMatching(/no baseline yet.*first run that completes/)],
        refreshing: false,
      },
    });
    expect(await read(made.body.id)).toEqual(made.body);
    expect(await audits(made.body.id)).toEqual(['experiment.create']);
  });

  it('keeps a margin of 0, and the name of a metric as its measure', async () => {
    const id = await makeExperiment({ margin: 0, measure: 'f1_strict' });
    expect(await read(id)).toMatchObject({ margin: 0, measure: 'f1_strict' });
  });

  it('takes a completed run of its suite as the baseline, and warns about a single sample', async () => {
    const baseline = await complete(await submit(), { score: 0 });
    expect(await read(await makeExperiment({ baseline_eval_id: baseline }))).toMatchObject({
      baseline_eval_id: baseline,
      baseline_score: 0,
      baseline_set_by: 'user',
      run_count: 0,
      notes: [expect.stringMatching(/one sample per case, so that luck affects every comparison\. Add samples to it/)],
      note_details: [{ code: 'baseline_one_sample', params: { run_id: baseline } }],
    });
    const sampled = await complete(await submit({ samples: 3 }));
    expect(await read(await makeExperiment({ baseline_eval_id: sampled }))).toMatchObject({ notes: [] });
  });

  it('warns about a baseline of an earlier suite version, and about one with many errored results', async () => {
    const suite = await importSuite();
    const baseline = await complete(await submit({ suite_id: suite, samples: 2 }));
    await api.pool.query('UPDATE target SET errored = 1 WHERE run_id = $1', [baseline]);
    await client.patch(`/api/tool-suites/${suite}`, { name: 'Later' });
    const { notes } = await read(await makeExperiment({ suite_id: suite, baseline_eval_id: baseline }));
    expect(notes).toEqual([
      expect.stringMatching(/^1 of the 12 results of the baseline errored.*5 %.*repeat them/),
      expect.stringMatching(/version 1 of the suite, which is at version 2 now/),
    ]);
  });

  it('waits for another baseline when a user deletes the one it had', async () => {
    const baseline = await complete(await submit());
    const id = await makeExperiment({ baseline_eval_id: baseline });
    expect((await client.delete(`/api/tool-eval/history/${baseline}`)).status).toBe(204);
    expect(await read(id)).toMatchObject({
      baseline_eval_id: null,
      baseline_score: null,
      baseline_set_by: null,
      notes: [expect.stringMatching(/baseline was deleted.*Pin another run/)],
    });
  });

  it('outlives its suite', async () => {
    const suite = await importSuite();
    const id = await makeExperiment({ suite_id: suite });
    await client.delete(`/api/tool-suites/${suite}`);
    expect(await read(id)).toMatchObject({
      suite_id: suite,
      suite_name: null,
      notes: [expect.stringMatching(/deleted/)],
    });
  });

  it('changes its name, description and status, and nothing else', async () => {
    const id = await makeExperiment({ description: 'before' });
    const path = `/api/experiments/${id}`;
    expect(await client.put(path, { name: 'other', description: '' })).toMatchObject({
      status: 200,
      body: { id, name: 'other', description: '', status: 'active' },
    });
    expect(await client.put(path, {})).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/at least one of name, description and status/) },
    });
    expect(await client.put(path, undefined)).toMatchObject({ status: 400 });
    expect(await client.put(path, { margin: 0.5 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/margin' }] },
    });
    expect(await client.put(path, { status: 'closed' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/status', message: expect.stringMatching(/"active", "archived"/) }] },
    });
    expect(await audits(id)).toEqual(['experiment.create', 'experiment.update']);
    expect((await client.put(`/api/experiments/${NOBODY}`, { name: 'x' })).status).toBe(404);
  });

  it('takes no new runs while it is archived', async () => {
    const id = await makeExperiment({ name: 'Old' });
    await client.put(`/api/experiments/${id}`, { status: 'archived' });
    const refused = {
      status: 422,
      body: {
        detail: expect.stringMatching(/"Old" is archived.*Make it active again/),
        ...{ code: 'experiment_archived', params: { experiment_id: id, name: 'Old' } },
        errors: [{ path: '/experiment_id', message: 'is archived' }],
      },
    };
    const models = ['sim::a'];
    expect(await client.post('/api/tool-eval', { suite_id: suiteId, models, experiment_id: id })).toMatchObject(
      refused,
    );
    expect(
      await client.post('/api/tool-eval/recorded', {
        suite_id: suiteId,
        target_name: 'agent',
        replies: [{ case: 'case 0', reply: 'x' }],
        experiment_id: id,
      }),
    ).toMatchObject(refused);
    expect(await client.post(`/api/experiments/${id}/run-best`)).toMatchObject(refused);
    await client.put(`/api/experiments/${id}`, { status: 'active' });
    await submit({ experiment_id: id });
    expect(await read(id)).toMatchObject({ run_count: 1 });
  });

  it.each([
    ['a margin below zero', { margin: -0.01 }, 400, '/margin'],
    ['a margin above one', { margin: 2 }, 400, '/margin'],
    ['a measure that no metric can have as its name', { measure: 'no such metric!' }, 400, '/measure'],
    ['an unknown suite', { suite_id: NOBODY }, 422, '/suite_id'],
    ['a baseline that is not an id', { baseline_eval_id: 'best' }, 400, '/baseline_eval_id'],
    ['an unknown baseline', { baseline_eval_id: NOBODY }, 422, '/baseline_eval_id'],
    ['an unknown field', { margins: 1 }, 400, '/margins'],
  ])('is refused with %s', async (_what, more, status, path) => {
    expect(await client.post('/api/experiments', { name: 'x', suite_id: suiteId, ...more })).toMatchObject({
      status,
      body: { errors: [{ path }] },
    });
  });

  it('is deleted without its runs, which lose their link and delta', async () => {
    const baseline = await complete(await submit());
    const id = await makeExperiment({ baseline_eval_id: baseline });
    const run = await completeIn(id);
    await compare(id, run, baseline);
    expect((await client.get(`/api/tool-eval/history/${run}`)).body).toMatchObject({ experiment_id: id, delta: 0.1 });
    expect((await others.delete(`/api/experiments/${id}`)).status).toBe(404);
    expect((await client.delete(`/api/experiments/${id}`)).status).toBe(204);
    expect((await client.get(`/api/experiments/${id}`)).status).toBe(404);
    expect((await client.delete(`/api/experiments/${id}`)).status).toBe(404);
    expect((await client.get(`/api/tool-eval/history/${run}`)).body).toMatchObject({
      experiment_id: null,
      score: 0.5,
      delta: null,
      differs: [],
      comparison: null,
    });
    const left = await api.pool.query('SELECT 1 FROM experiment_comparison WHERE experiment_id = $1', [id]);
    expect(left.rowCount).toBe(0);
    expect(await audits(id)).toEqual(['experiment.create', 'experiment.delete']);
  });
});

describe('the list of experiments', () => {
  it('lists active, archived or all experiments, of one suite or all, in pages, and none of another team', async () => {
    const suite = await importSuite();
    const ids = [];
    for (let n = 0; n < 3; n++) ids.unshift(await makeExperiment({ suite_id: suite, name: `n${n}` }));
    const [third, second, first] = ids;
    await client.put(`/api/experiments/${second}`, { status: 'archived' });
    const list = async (query: string, as = client): Promise<string[]> =>
      (await as.get(`/api/experiments?suite_id=${suite}${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await list('')).toEqual([third, first]);
    expect(await list('&status=archived')).toEqual([second]);
    expect(await list('&status=all')).toEqual([third, second, first]);
    expect(await list('&status=all', others)).toEqual([]);
    expect((await client.get('/api/experiments?limit=200')).body.items.length).toBeGreaterThan(3);
    const page = (await client.get(`/api/experiments?suite_id=${suite}&status=all&limit=2`)).body;
    expect(page.next_cursor).toBe(second);
    expect(await list(`&status=all&cursor=${page.next_cursor}`)).toEqual([first]);
    expect(await list('&status=all&name=N1')).toEqual([second]);
    expect(await list('&name=n1')).toEqual([]);
    expect(await client.get('/api/experiments?status=open')).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/status' }] },
    });
    expect((await client.get('/api/experiments?suite_id=weather')).status).toBe(400);
  });

  it('is read in the same number of statements whatever its length', async () => {
    const suite = await importSuite();
    const statements = async (limit: number): Promise<number> => {
      let count = 0;
      const query = api.pool.query.bind(api.pool);
      api.pool.query = ((...of: Parameters<typeof query>) => ((count += 1), query(...of))) as typeof query;
      const { items } = (await client.get(`/api/experiments?suite_id=${suite}&limit=${limit}`)).body;
      api.pool.query = query;
      expect(items).toHaveLength(limit);
      return count;
    };
    for (let n = 0; n < 5; n++) {
      const baseline = await complete(await submit({ suite_id: suite }));
      await refresh(await makeExperiment({ suite_id: suite, baseline_eval_id: baseline }), baseline);
    }
    await statements(1);
    expect(await statements(5)).toBe(await statements(1));
  });
});

describe('a baseline', () => {
  const pin = (id: string, eval_id: string, as = client) => as.put(`/api/experiments/${id}/baseline`, { eval_id });

  it('is pinned by a user, and every run is compared with it again', async () => {
    const id = await makeExperiment();
    const [first, second] = [await completeIn(id, {}, { score: 0.5 }), await completeIn(id, {}, { score: 0.75 })];
    expect(await pin(id, first)).toMatchObject({ status: 200, body: { baseline_eval_id: first } });
    await compare(id, second, first, { delta: 0.25 });
    await refresh(id, second);
    expect(await read(id)).toMatchObject({
      refreshing: false,
      comparisons: { made: 1 },
      best: { eval_id: second, comparison: { verdict: 'improved', difference: 0.25 } },
    });
    const pinned = await pin(id, second);
    expect(pinned).toMatchObject({
      status: 200,
      body: {
        baseline_eval_id: second,
        baseline_score: 0.75,
        baseline_set_by: 'user',
        refreshing: true,
        comparisons: { made: 0, expected_false_alarms: 0, improved_after_correction: [] },
        best: { eval_id: second, comparison: null },
      },
    });
    expect(await read(id)).toEqual(pinned.body);
    expect(await audits(id)).toEqual(['experiment.create', 'experiment.baseline', 'experiment.baseline']);
  });

  it('is a completed run of the suite with a score; otherwise the problem says what to do', async () => {
    const id = await makeExperiment();
    const unfinished = await submit();
    const stopped = await complete(await submit(), { status: 'cancelled' });
    const unscored = await complete(await submit(), { score: null });
    const elsewhere = await complete(await submit({ suite_id: await importSuite() }));
    const theirs = await complete(await submit({ suite_id: await importSuite(others) }, others));
    const problems: [string, RegExp][] = [
      [unfinished, /not finished \(\w+\)\. Wait for its end/],
      [stopped, /ended early \(cancelled\).*Resume it/],
      [unscored, /Nothing in the run is scored.*Repeat what errored/],
      [elsewhere, /of another suite \("Weather"\).*Choose a run of the same suite/],
      [theirs, /^No run with id "ID" in this team\.$/],
      [NOBODY, /^No run with id "ID" in this team\.$/],
    ];
    for (const [run, detail] of problems) {
      const pinned = await pin(id, run);
      expect([pinned.status, pinned.body.errors[0].path]).toEqual([422, '/eval_id']);
      expect(pinned.body.detail.replace(`id "${run}"`, 'id "ID"')).toMatch(detail);
      const made = await client.post('/api/experiments', { name: 'x', suite_id: suiteId, baseline_eval_id: run });
      expect(made).toMatchObject({
        status: 422,
        body: { detail: pinned.body.detail, errors: [{ path: '/baseline_eval_id' }] },
      });
    }
    expect(await read(id)).toMatchObject({ baseline_eval_id: null });
    expect(await client.put(`/api/experiments/${id}/baseline`, {})).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/eval_id', message: 'is missing' }] },
    });
    const mine = await complete(await submit());
    const blurred = async (experiment: string) => {
      const { status, body } = await pin(experiment, mine, others);
      return [status, body.detail.replace(experiment, 'ID')];
    };
    expect(await blurred(id)).toEqual(await blurred(NOBODY));
  });

  it('has the metric that the experiment compares', async () => {
    const id = await makeExperiment({ measure: 'f1' });
    const without = await complete(await submit({ metrics: ['bfcl_ast'] }));
    expect(await pin(id, without)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/no metric "f1".*Its metrics: bfcl_ast\..*"metrics"/) },
    });
    const measured = await complete(await submit({ metrics: [{ id: 'ragas_tool_call_f1', as: 'f1' }] }));
    expect((await pin(id, measured)).status).toBe(200);
  });

  it('says how many runs were compared with it, and which remain better after the correction', async () => {
    const baseline = await complete(await submit());
    const id = await makeExperiment({ baseline_eval_id: baseline });
    const compared: [string, number | null][] = [
      ['improved', 0.001],
      ['improved', 0.02],
      ['inconclusive', 0.4],
      ['regressed', 0.03],
      ['not_comparable', null],
    ];
    const runs: string[] = [];
    for (const [verdict, p] of compared) {
      runs.push(await completeIn(id));
      await compare(id, runs.at(-1)!, baseline, { verdict, p });
    }
    const seen = await read(id);
    // Holm: 4 x 0.001 and 3 x 0.02.
    expect(seen.comparisons).toEqual({ made: 4, expected_false_alarms: 0.2, improved_after_correction: [runs[0]] });
    // A run that was resumed is compared again.
    await api.pool.query('UPDATE run SET generation = 2 WHERE id = $1', [runs[0]]);
    expect((await read(id)).comparisons).toMatchObject({ made: 3, improved_after_correction: [] });
  });
});

it('an experiment says since which run it is worse, in which model, and what was changed for it', async () => {
  const baseline = await complete(await submit(), { at: '2026-11-20T09:00:00Z' });
  const id = await makeExperiment({ baseline_eval_id: baseline });
  expect((await read(id)).since).toBeNull();
  const worst = { target: 'sim::a', verdict: 'regressed', difference: -0.24, ci: [-0.3, -0.1], from: 0.77, to: 0.53 };
  const models = { worst, regressed: 1, improved: 0 } as BaselineComparison['models'];
  const calm = { worst: null, regressed: 0, improved: 0 };
  const before = await completeIn(id, {}, { at: '2026-11-22T09:00:00Z' });
  await compare(id, before, baseline, { verdict: 'inconclusive', models: calm });
  expect(await read(id)).toMatchObject({ since: { state: 'unclear', run: { id: before } } });
  const nightly = { name: 'Nightly 8', temperature: 0.7 };
  const first = await completeIn(id, nightly, { at: '2026-11-23T09:00:00Z' });
  await compare(id, first, baseline, { verdict: 'inconclusive', models });
  const last = await completeIn(id, nightly, { at: '2026-11-24T09:00:00Z' });
  await compare(id, last, baseline, { verdict: 'regressed', models });
  const { since } = await read(id);
  expect(since).toMatchObject({
    state: 'worse',
    run: { id: first, name: 'Nightly 8', finished_at: '2026-11-23T09:00:00.000Z' },
    ...{ runs: 2, of: 2, regressed: 1, worst, changed: ['temperature 0.7'], before },
    text: 'Worse since Nightly 8, 2 of the last 2: a, 77 % to 53 %. Changed: temperature 0.7.',
  });
  const [listed] = (await client.get(`/api/experiments?suite_id=${suiteId}`)).body.items;
  expect(listed.since).toEqual(since);
  // Each run says it, too.
  expect((await client.get(`/api/tool-eval/history/${last}`)).body.against).toMatchObject({
    run: { id: baseline, suite_version: expect.any(Number) },
    ...{ kind: 'baseline', verdict: 'regressed', worst, regressed: 1 },
  });
  const entries = (await client.get(`/api/experiments/${id}/timeline`)).body.items;
  expect(entries.at(-1)).toMatchObject({ name: 'Nightly 8', comparison: { models: { worst } } });
});

describe('the timeline', () => {
  const page = async (id: string, query = '') => (await client.get(`/api/experiments/${id}/timeline${query}`)).body;

  it('lists what ended, oldest first, ties by id, in pages without gaps', async () => {
    const id = await makeExperiment();
    const [early, instant] = ['2026-11-20T09:00:00.001Z', '2026-11-20T09:00:00.002Z'];
    const runs = [];
    for (const at of [instant, instant, early, instant]) runs.push(await completeIn(id, {}, { at }));
    await submit({ experiment_id: id });
    const order = [runs[2], ...[runs[0], runs[1], runs[3]].sort()];
    const seen = [];
    for (let query = '?limit=1'; ;) {
      const { items, next_cursor } = await page(id, query);
      seen.push(...items.map((entry: { id: string }) => entry.id));
      if (next_cursor === null) break;
      query = `?limit=1&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(seen).toEqual(order);
    expect((await page(id)).items).toEqual([
      expect.objectContaining({ timestamp: early }),
      ...[1, 2, 3].map(() => expect.objectContaining({ timestamp: instant, type: 'eval', status: 'completed' })),
    ]);
    expect(await client.get(`/api/experiments/${id}/timeline?cursor=${NOBODY}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/cursor' }] },
    });
    expect((await client.get(`/api/experiments/${NOBODY}/timeline`)).status).toBe(404);
  });

  it('shows each run with its difference from the baseline, and a delta only with its verdict', async () => {
    const id = await makeExperiment();
    const at = (second: number) => ({ at: `2026-11-20T09:00:0${second}.000Z` });
    const baseline = await completeIn(id, {}, at(0));
    await client.put(`/api/experiments/${id}/baseline`, { eval_id: baseline });
    const better = await completeIn(id, { temperature: 0.7, system_prompt: 'Be brief.' }, at(1));
    await compare(id, better, baseline, { delta: 0.125 });
    const other = await completeIn(id, { models: ['sim::b'] }, at(2));
    await compare(id, other, baseline, { delta: 0.125 });
    await api.pool.query(`UPDATE run SET delta = NULL, differs = '{targets}' WHERE id = $1`, [other]);
    const uncompared = await completeIn(id, {}, { ...at(3), status: 'cancelled', score: null });
    await refresh(id, better);
    const comparison = {
      verdict: 'improved',
      difference: 0.125,
      ci: [0.075, 0.175],
      n_cases: 6,
      small: false,
      text: 'It is better.',
    };
    const entry = { type: 'eval', score: 0.5, is_baseline: false, is_best: false, differs: [], targets: ['sim::a'] };
    expect((await page(id)).items).toMatchObject([
      { ...entry, id: baseline, delta: null, is_baseline: true, comparison: null, config_summary: 'as baseline' },
      {
        ...entry,
        id: better,
        delta: 0.125,
        is_best: true,
        comparison,
        config_summary: 'temperature 0.7, system prompt',
      },
      {
        ...entry,
        id: other,
        delta: null,
        differs: ['targets'],
        comparison,
        config_summary: 'model sim::b',
        targets: ['sim::b'],
      },
      { ...entry, id: uncompared, status: 'cancelled', score: null, delta: null, comparison: null },
    ]);
    // Figures relative to the previous baseline do not apply to the new one.
    await client.put(`/api/experiments/${id}/baseline`, { eval_id: better });
    expect((await page(id)).items).toMatchObject([
      { id: baseline, is_baseline: false, config_summary: 'temperature 0, no system prompt' },
      { id: better, is_baseline: true, delta: null, comparison: null },
      { id: other, delta: null, differs: [], comparison: null },
      { id: uncompared },
    ]);
  });

  it('gives each score an interval, wide enough for several models', async () => {
    const id = await makeExperiment();
    const run = await completeIn(id, { models: ['sim::a', 'sim::b'] });
    const summarise = (ordinal: number, overall_ci: [number, number], scored: number) =>
      api.pool.query('UPDATE target SET summary = $3, errored = $2 WHERE run_id = $1 AND ordinal = $2', [
        run,
        ordinal,
        JSON.stringify({ overall_ci, scored }),
      ]);
    await summarise(0, [0.25, 0.75], 6);
    expect((await page(id)).items).toMatchObject([{ id: run, score_ci: [0.25, 0.75], scored: 6, errored: 0 }]);
    await summarise(1, [0.5, 1], 5);
    expect((await page(id)).items).toMatchObject([
      { id: run, score_ci: [0.375, 0.875], scored: 11, errored: 1, suite_version: 1 },
    ]);
  });
});

describe('the limit of replies', () => {
  const limitOf = async (runId: string) => (await client.get(`/api/tool-eval/history/${runId}`)).body.config.max_tokens;

  it('defaults to that of the baseline for runs of the experiment, and to none for other runs', async () => {
    const id = await makeExperiment();
    expect(await limitOf(await submit({ experiment_id: id }))).toBeNull();
    const baseline = await complete(await submit({ max_tokens: 1024 }));
    expect((await client.put(`/api/experiments/${id}/baseline`, { eval_id: baseline })).status).toBe(200);
    expect(await limitOf(await submit({ experiment_id: id }))).toBe(1024);
    expect(await limitOf(await submit({ experiment_id: id, max_tokens: 7 }))).toBe(7);
    const unlimited = await complete(await submit({ experiment_id: id, max_tokens: null }));
    expect(await limitOf(unlimited)).toBeNull();
    const { items } = (await client.get(`/api/experiments/${id}/timeline`)).body;
    expect(items.find((entry: any) => entry.id === unlimited).config_summary).toBe('no token limit');
    expect(await limitOf(await submit())).toBeNull();
  });
});

describe('the best configuration', () => {
  /** Every setting of a run, none with its default value. */
  const settings = {
    models: [
      { provider_key: 'sim', model_id: 'b', params: { top_p: 0.5, seed: 7 } },
      { provider_key: 'sim', model_id: 'a', params: {} },
    ],
    temperature: 0.25,
    tool_choice: 'auto',
    samples: 2,
    max_tokens: 77,
    timeout_s: 33,
    params: { presence_penalty: 0.5 },
    system_prompt: { '*': 'Be brief.', 'sim::b': '' },
    metrics: [
      'bfcl_ast',
      { id: 'axion_tool_correctness', as: 'strict', options: { check_parameters: true } },
      { id: 'axion_tool_correctness' },
    ],
    case_filter: { tags: [] },
    model_order: 'parallel',
    budget: { max_requests: 1000 },
    cache: 'refresh',
  };
  const bestOf = async (input: object): Promise<{ id: string; best: string }> => {
    const id = await makeExperiment();
    const best = await completeIn(id, input);
    await refresh(id, best, [NOBODY]);
    return { id, best };
  };
  const runBest = (id: string, body?: unknown) => client.post(`/api/experiments/${id}/run-best`, body);
  /** The stored fields of a run, without its ids and timestamps. */
  const stored = async (runId: string) => {
    const { rows } = await api.pool.query(
      `SELECT r.config, r.samples, r.model_order, r.max_requests, r.max_cost_usd, r.experiment_id, r.suite_version_id,
         r.case_positions, json_agg(json_build_array(t.provider_id, t.provider_key, t.model_id, t.params,
           t.system_prompt, t.n) ORDER BY t.ordinal) AS targets
       FROM run r JOIN target t ON t.run_id = r.id WHERE r.id = $1 GROUP BY r.id`,
      [runId],
    );
    return rows[0];
  };

  it('is a complete request that makes the same run by hand or by run-best', async () => {
    const { id, best } = await bestOf(settings);
    const seen = (await read(id)).best;
    expect(seen).toMatchObject({
      score: 0.5,
      eval_id: best,
      source: 'eval',
      source_id: best,
      targets: ['sim::b', 'sim::a'],
      comparison: null,
      tied_with: [NOBODY],
    });
    const request = { ...seen.config, suite_id: suiteId, experiment_id: id };
    expect(RunInput.parse(request)).toEqual(request);
    const { name: _name, note: _note, judge: _judge, ...shape } = RunInput.shape;
    expect(Object.keys(request).sort()).toEqual(Object.keys(shape).sort());
    const answer = await runBest(id);
    expect(answer).toMatchObject({ status: 202, body: { status: 'submitted', config_used: seen.config } });
    const byHand = await stored(await submit(request));
    expect(await stored(answer.body.eval_id)).toEqual(byHand);
    expect(byHand).toEqual(await stored(best));
    expect(await audits(id)).toEqual(['experiment.create', 'experiment.run_best']);
    expect(await audits(answer.body.eval_id)).toEqual(['run.submit']);
    expect(await read(id)).toMatchObject({ run_count: 3 });
  });

  it('keeps parameter numbers as written', async () => {
    const { id } = await bestOf({ models: ['sim::a'] });
    const run = await client.post(
      '/api/tool-eval',
      `{"suite_id":"${suiteId}","models":["sim::a"],"params":{"scale":1.0,"big":12345678901234567890},` +
        `"experiment_id":"${id}"}`,
    );
    await refresh(id, await complete(run.body.eval_id));
    const again = await runBest(id);
    expect((await stored(again.body.eval_id)).config).toContain('"params":{"scale":1.0,"big":12345678901234567890}');
  });

  it('is submitted with other models, samples and budget, and keeps the rest', async () => {
    const { id } = await bestOf(settings);
    const { config } = (await read(id)).best;
    expect((await runBest(id, {})).body.config_used).toEqual(config);
    expect((await runBest(id, { budget: null })).body.config_used).toEqual({ ...config, budget: null });
    // The prompt of a model that is left out is removed too.
    const replaced = await runBest(id, { models: ['a'], samples: 1, budget: { max_requests: 5 } });
    expect(replaced.body.config_used).toEqual({
      ...config,
      models: ['a'],
      samples: 1,
      budget: { max_requests: 5 },
      system_prompt: { '*': 'Be brief.' },
    });
    expect((await client.get(`/api/tool-eval/history/${replaced.body.eval_id}`)).body).toMatchObject({
      experiment_id: id,
      config: { samples: 1, cache: 'refresh', budget: { max_requests: 5 } },
      targets: [{ target: 'sim::a' }],
    });
    expect(await runBest(id, { temperature: 1 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/temperature' }] },
    });
    expect(await runBest(id, { models: [] })).toMatchObject({ status: 400 });
  });

  it('requests new replies when it is submitted with more samples, unless its config says otherwise', async () => {
    const { id } = await bestOf({});
    expect((await runBest(id)).body.config_used).toMatchObject({ samples: 1, cache: 'use' });
    expect((await runBest(id, { samples: 5 })).body.config_used).toMatchObject({ samples: 5, cache: 'off' });
  });

  it('is submitted once for one Idempotency-Key', async () => {
    const { id } = await bestOf({});
    const send = () =>
      client.post(`/api/experiments/${id}/run-best`, undefined, { 'idempotency-key': `best of ${id}` });
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(202);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await read(id)).toMatchObject({ run_count: 2 });
  });

  it('cannot be run before there is one', async () => {
    const id = await makeExperiment();
    await completeIn(id);
    expect(await runBest(id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/no best run yet/), code: 'no_best_run', params: { experiment_id: id } },
    });
    expect((await runBest(NOBODY)).status).toBe(404);
    const theirs = await makeExperiment({ suite_id: await importSuite(others) }, others);
    expect((await runBest(theirs)).status).toBe(404);
  });

  it('cannot be run when one of its models is gone, with the error of a submit', async () => {
    await client.post('/api/providers', { ...provider, key: 'brief', models: [{ id: 'x' }] });
    const { id } = await bestOf({ models: ['brief::x'] });
    const request = { ...(await read(id)).best.config, suite_id: suiteId };
    await api.pool.query(`UPDATE run SET status = 'completed' WHERE status IN ('pending', 'queued')`);
    expect((await client.delete('/api/providers/brief')).status).toBe(204);
    const submitted = await client.post('/api/tool-eval', request);
    expect(submitted).toMatchObject({ status: 422, body: { errors: [{ path: '/models/0' }] } });
    expect((await runBest(id)).body).toEqual(submitted.body);
    expect((await runBest(id, { models: ['sim::a'] })).status).toBe(202);
  });

  it('does not exist for a recorded run, whose replies cannot be produced here', async () => {
    const id = await makeExperiment();
    const recorded = await client.post('/api/tool-eval/recorded', {
      suite_id: suiteId,
      target_name: 'agent',
      replies: [{ case: 'case 0', reply: 'x' }],
      experiment_id: id,
    });
    await refresh(id, await complete(recorded.body.eval_id));
    expect((await read(id)).best).toMatchObject({ eval_id: recorded.body.eval_id, config: null });
    expect(await runBest(id)).toMatchObject({ status: 409, body: { code: 'replies_recorded' } });
  });
});
