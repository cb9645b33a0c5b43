import { PROMPT_OF_SUITE } from '#lib/contracts/run-input';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { removeParent } from '#lib/db/upkeep/delete-parents';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

const NOBODY = '01a1fc11-0570-72f9-b84b-b15294fa812e';

let api: SharedApi;
let client: Client;
let others: Client;
let suiteId: string;
let baseline: string;

const provider = { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }, { id: 'b' }] };

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  for (const team of [client, others]) await team.post('/api/providers', provider);
  suiteId = await importSuite();
  baseline = await complete(await submit());
}, 60_000);

async function importSuite(as: Client = client, cases = 6): Promise<string> {
  const suite = weatherSuite(cases);
  const test_cases = suite.test_cases.map((one, n) => ({ ...one, tags: n === 0 ? ['critical', 'paris'] : ['paris'] }));
  return (await as.post('/api/tool-eval/import', { ...suite, test_cases })).body.suite_id;
}

async function submit(more: object = {}, as: Client = client): Promise<string> {
  const submitted = await as.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });
  expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
  return submitted.body.eval_id;
}

/** Writes what a worker stores for a completed run. */
async function complete(runId: string, { status = 'completed', score = 0.5 as number | null } = {}): Promise<string> {
  await api.pool.query('UPDATE run SET status = $2, score = $3, finished_at = now() WHERE id = $1', [
    runId,
    status,
    score,
  ]);
  await api.pool.query('UPDATE job SET status = $2, finished_at = now() WHERE result_ref = $1', [runId, status]);
  return runId;
}

let names = 0;
const makeGate = async (more: object = {}, as: Client = client) =>
  as.post('/api/gates', { name: `gate ${names++}`, suite_id: suiteId, baseline: { eval_id: baseline }, ...more });
async function madeGate(more: object = {}): Promise<any> {
  const made = await makeGate(more);
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body;
}

const makeExperiment = async (more: object = {}, as: Client = client): Promise<string> =>
  (await as.post('/api/experiments', { name: 'e', suite_id: suiteId, ...more })).body.id;
const audits = async (subject: string): Promise<string[]> =>
  (await api.pool.query('SELECT action FROM audit WHERE subject = $1 ORDER BY id', [subject])).rows.map(
    ({ action }) => action,
  );

describe('a gate', () => {
  it('has default rules: two points of the overall score, four looks, no floor', async () => {
    const made = await client.post('/api/gates', {
      name: ' main ',
      suite_id: suiteId,
      baseline: { eval_id: baseline },
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        version: 1,
        name: 'main',
        suite_id: suiteId,
        suite_name: 'Weather',
        baseline: { eval_id: baseline },
        baseline_eval_id: baseline,
        models: null,
        measure: 'overall',
        margin: 0.02,
        floor: null,
        max_errored_share: 0.05,
        critical_tags: [],
        looks: 4,
        max_requests: null,
      },
    });
    const { body } = await client.get(`/api/gates/${made.body.id}`);
    expect(body).toEqual(made.body);
    expect(await audits(made.body.id)).toEqual(['gate.create']);
  });

  it('says before it is run which loss its cases show, and that its margin cannot be reached', async () => {
    const { body: gate } = await client.get(`/api/gates/${(await madeGate()).id}`);
    expect(gate.last).toBeNull();
    expect(gate.sensitivity).toMatchObject({ cases: 6, samples: 8, can_pass: false });
    expect(gate.sensitivity.smallest_loss).toBeGreaterThan(0.1);
    const asked = { suite_id: suiteId, baseline: { eval_id: baseline }, margin: 0.6 };
    const { status, body } = await client.post('/api/gates/sensitivity', asked);
    expect([status, body]).toEqual([200, { ...gate.sensitivity, can_pass: true, cases_needed: null }]);
    const ofSuite = await client.post('/api/gates/sensitivity', { suite_id: suiteId });
    expect(ofSuite.body).toEqual(gate.sensitivity);
    const theirs = [
      await others.post('/api/gates/sensitivity', asked),
      await others.post(`/api/gates/${gate.id}/run/estimate`, {}),
    ];
    expect(theirs.map((one) => one.status)).toEqual([422, 404]);
  });

  it('keeps a margin, a floor and a share of 0', async () => {
    const zeros = { margin: 0, floor: { pass_rate: 0 }, max_errored_share: 0 };
    const gate = await madeGate(zeros);
    expect(gate).toMatchObject(zeros);
    expect((await client.put(`/api/gates/${gate.id}`, zeros)).body).toMatchObject({ ...zeros, version: 1 });
  });

  it('has the current baseline of its experiment, even if there is none yet', async () => {
    const experiment = await makeExperiment();
    const gate = await madeGate({ baseline: { experiment_id: experiment } });
    expect(gate).toMatchObject({ baseline: { experiment_id: experiment }, baseline_eval_id: null });
    await client.put(`/api/experiments/${experiment}/baseline`, { eval_id: baseline });
    expect((await client.get(`/api/gates/${gate.id}`)).body).toMatchObject({ version: 1, baseline_eval_id: baseline });
  });

  it('outlives its suite and its baseline', async () => {
    const suite = await importSuite();
    const run = await complete(await submit({ suite_id: suite }));
    const gate = await madeGate({ suite_id: suite, baseline: { eval_id: run } });
    await client.delete(`/api/tool-eval/history/${run}`);
    await client.delete(`/api/tool-suites/${suite}`);
    expect((await client.get(`/api/gates/${gate.id}`)).body).toMatchObject({
      suite_name: null,
      baseline: { eval_id: run },
      baseline_eval_id: null,
    });
  });

  it('names its models in full, however they were given', async () => {
    await client.post('/api/providers', { ...provider, key: 'only', models: [{ id: 'one-of-a-kind' }] });
    expect(await madeGate({ models: ['one-of-a-kind', 'sim::b'] })).toMatchObject({
      models: ['only::one-of-a-kind', 'sim::b'],
    });
  });

  it('accepts the recorded models of its baseline', async () => {
    const recorded = await client.post('/api/tool-eval/recorded', {
      suite_id: suiteId,
      target_name: 'agent',
      replies: [{ case: 'case 0', reply: 'It rains.' }],
    });
    expect(recorded).toMatchObject({ status: 202 });
    const run = await complete(recorded.body.eval_id);
    expect(await madeGate({ models: ['recorded::agent'], baseline: { eval_id: run } })).toMatchObject({
      models: ['recorded::agent'],
    });
    expect((await makeGate({ models: ['recorded::agent'] })).status).toBe(422);
  });

  it('lists a run of a gate run in the history once it is a baseline', async () => {
    const listed = async (run: string): Promise<boolean> =>
      (await api.pool.query('SELECT listed FROM run WHERE id = $1', [run])).rows[0].listed;
    const [forGate, forExperiment] = [await complete(await submit()), await complete(await submit())];
    await api.pool.query('UPDATE run SET listed = false WHERE id = ANY ($1)', [[forGate, forExperiment]]);
    await madeGate({ baseline: { eval_id: forGate } });
    expect([await listed(forGate), await listed(forExperiment)]).toEqual([true, false]);
    await makeExperiment({ baseline_eval_id: forExperiment });
    expect(await listed(forExperiment)).toBe(true);
  });

  describe('is refused', () => {
    it('with a name that another gate of the team has', async () => {
      const { id, name } = await madeGate();
      const taken = { status: 409, body: { code: 'name_taken', params: { what: 'gate', name, id } } };
      expect(await makeGate({ name })).toMatchObject(taken);
      const other = await madeGate();
      expect(await client.put(`/api/gates/${other.id}`, { name })).toMatchObject(taken);
      expect(await client.put(`/api/gates/${id}`, { name })).toMatchObject({ status: 200, body: { version: 1 } });
    });

    it('once, when two requests use the same name at once', async () => {
      const made = await Promise.all([1, 2, 3].map(() => makeGate({ name: 'twice' })));
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    });

    it.each<[string, object | (() => Promise<object>), string, RegExp]>([
      ['suite that does not exist', { suite_id: NOBODY }, '/suite_id', /No suite/],
      ['baseline that does not exist', { baseline: { eval_id: NOBODY } }, '/baseline/eval_id', /No run/],
      [
        'baseline of another suite',
        async () => ({ baseline: { eval_id: await complete(await submit({ suite_id: await importSuite() })) } }),
        '/baseline/eval_id',
        /another suite/,
      ],
      [
        'baseline that is not finished',
        async () => ({ baseline: { eval_id: await submit() } }),
        '/baseline/eval_id',
        /not finished/,
      ],
      [
        'baseline that was cancelled',
        async () => ({ baseline: { eval_id: await complete(await submit(), { status: 'cancelled' }) } }),
        '/baseline/eval_id',
        /ended early/,
      ],
      [
        'baseline without a score',
        async () => ({ baseline: { eval_id: await complete(await submit(), { score: null }) } }),
        '/baseline/eval_id',
        /Nothing in the run is scored/,
      ],
      ['measure that the baseline lacks', { measure: 'f1_strict' }, '/baseline/eval_id', /no metric "f1_strict"/],
      [
        'baseline that adds samples to another run',
        async () => ({ baseline: { eval_id: await extension() } }),
        '/baseline/eval_id',
        /adds samples to another one. Choose that one/,
      ],
      [
        'experiment that does not exist',
        { baseline: { experiment_id: NOBODY } },
        '/baseline/experiment_id',
        /No experiment/,
      ],
      [
        'experiment about another suite',
        async () => ({ baseline: { experiment_id: await makeExperiment({ suite_id: await importSuite() }) } }),
        '/baseline/experiment_id',
        /another suite/,
      ],
      ['critical tag that no case has', { critical_tags: ['critical', 'critcal'] }, '/critical_tags/1', /critical/],
      ['model that the team does not have', { models: ['sim::a', 'sim::c'] }, '/models/1', /No model "c".*a, b/],
      ['model that is listed twice', { models: ['sim::a', 'sim::a'] }, '/models/1', /listed twice/],
    ])('with a %s', async (_what, wrong, path, detail) => {
      const fields = typeof wrong === 'function' ? await wrong() : wrong;
      expect(await makeGate(fields)).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(detail), errors: [{ path }] },
      });
      if ('suite_id' in fields) return;
      const { id } = await madeGate();
      expect(await client.put(`/api/gates/${id}`, fields)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
      expect((await client.get(`/api/gates/${id}`)).body).toMatchObject({ version: 1 });
    });

    async function extension(): Promise<string> {
      const run = await complete(await submit());
      await api.pool.query('UPDATE run SET extends_run_id = $2, first_sample = 1 WHERE id = $1', [run, baseline]);
      return run;
    }

    it.each([
      ['a measure of which less is better', { measure: 'conversation.fabricated' }],
      ['two baselines', { baseline: { eval_id: NOBODY, experiment_id: NOBODY } }],
      ['no baseline', { baseline: {} }],
      ['a margin above 1', { margin: 1.1 }],
      ['no looks', { looks: 0 }],
      ['five looks', { looks: 5 }],
      ['no models', { models: [] }],
      ['a floor above 1', { floor: { pass_rate: 2 } }],
      ['an unknown field', { threshold: 1 }],
    ])('with %s', async (_what, wrong) => {
      expect((await makeGate(wrong)).status).toBe(400);
    });
  });

  describe('changes', () => {
    it('its version when any of its rules changes', async () => {
      const { id } = await madeGate();
      const other = await complete(await submit());
      const changes = [
        { baseline: { eval_id: other } },
        { models: ['sim::a'] },
        { measure: 'passed' },
        { margin: 0 },
        { floor: { pass_rate: 0 } },
        { max_errored_share: 0 },
        { critical_tags: ['critical'] },
        { looks: 1 },
        { max_requests: 10 },
        { models: null, floor: null, max_requests: null, critical_tags: [] },
      ];
      for (const [index, change] of changes.entries())
        expect(await client.put(`/api/gates/${id}`, change)).toMatchObject({
          status: 200,
          body: { version: index + 2, ...change },
        });
      expect(await audits(id)).toEqual(['gate.create', ...changes.map(() => 'gate.update')]);
    });

    it('no version for a new name or for unchanged rules', async () => {
      const { id, name: _name, created_at: _c, updated_at, ...gate } = await madeGate({ critical_tags: ['paris'] });
      const { suite_id: _s, suite_name: _n, baseline_eval_id: _b, version: _v, ...known } = gate;
      const { last: _last, sensitivity: _shows, ...rules } = known;
      const same = { ...rules, baseline: { eval_id: baseline.toUpperCase() } };
      expect(await client.put(`/api/gates/${id}`, same)).toMatchObject({ status: 200, body: { ...gate, updated_at } });
      const named = await client.put(`/api/gates/${id}`, { name: `other ${names++}` });
      expect(named).toMatchObject({ status: 200, body: gate });
    });

    it('its rules even if its baseline was deleted', async () => {
      const run = await complete(await submit());
      const { id } = await madeGate({ baseline: { eval_id: run } });
      await client.delete(`/api/tool-eval/history/${run}`);
      expect(await client.put(`/api/gates/${id}`, { margin: 0.1 })).toMatchObject({
        status: 200,
        body: { version: 2 },
      });
      expect((await client.put(`/api/gates/${id}`, { measure: 'passed' })).status).toBe(422);
    });

    it('once, when two change its rules at once', async () => {
      const { id } = await madeGate();
      const changed = await Promise.all([0.1, 0.2].map((margin) => client.put(`/api/gates/${id}`, { margin })));
      const done = changed.filter(({ status }) => status === 200).length;
      expect(changed.every(({ status }) => status === 200 || status === 409)).toBe(true);
      expect((await client.get(`/api/gates/${id}`)).body.version).toBe(1 + done);
    });

    it('nothing with an empty body', async () => {
      const { id } = await madeGate();
      expect((await client.put(`/api/gates/${id}`, {})).status).toBe(400);
    });
  });

  it('is found by its name, page by page', async () => {
    const made = [await madeGate(), await madeGate()].map(({ id, name }) => ({ id, name }));
    expect((await client.get(`/api/gates?name=${encodeURIComponent(made[0]!.name)}`)).body).toMatchObject({
      items: [made[0]],
      next_cursor: null,
    });
    const first = (await client.get('/api/gates?limit=1')).body;
    expect(first).toMatchObject({ items: [made[1]], next_cursor: made[1]!.id });
    expect((await client.get(`/api/gates?limit=1&cursor=${first.next_cursor}`)).body).toMatchObject({
      items: [made[0]],
    });
    expect((await client.get('/api/gates?cursor=x')).status).toBe(400);
  });

  it('is deleted, and its name becomes free', async () => {
    const { id, name } = await madeGate();
    expect((await client.delete(`/api/gates/${id}`)).status).toBe(204);
    expect((await client.get(`/api/gates/${id}`)).status).toBe(404);
    expect((await client.delete(`/api/gates/${id}`)).status).toBe(404);
    expect((await makeGate({ name })).status).toBe(201);
    expect(await audits(id)).toEqual(['gate.create', 'gate.delete']);
  });
});

describe('a gate of another team', () => {
  it('cannot be seen, changed or deleted, and shares no name', async () => {
    const { id, name } = await madeGate();
    expect((await others.get(`/api/gates/${id}`)).status).toBe(404);
    expect((await others.put(`/api/gates/${id}`, { margin: 0 })).status).toBe(404);
    expect((await others.delete(`/api/gates/${id}`)).status).toBe(404);
    expect((await others.get(`/api/gates?name=${name}`)).body.items).toEqual([]);
    const suite = await importSuite(others);
    const run = await complete(await submit({ suite_id: suite }, others));
    const own = { suite_id: suite, baseline: { eval_id: run } };
    expect((await makeGate({ name, ...own }, others)).status).toBe(201);
    const experiment = await makeExperiment();
    for (const foreign of [
      { suite_id: suiteId },
      { baseline: { eval_id: baseline } },
      { baseline: { experiment_id: experiment } },
    ])
      expect((await makeGate({ ...own, ...foreign }, others)).status).toBe(422);
  });
});

describe('a viewer', () => {
  it('reads gates, but cannot create, change or delete them', async () => {
    const { id } = await madeGate();
    const token = await client.post('/api/tokens', { name: 'viewer', role: 'viewer' });
    const viewer = clientOf(api.url, token.body.token);
    expect((await viewer.get('/api/gates')).status).toBe(200);
    expect((await viewer.get(`/api/gates/${id}`)).status).toBe(200);
    expect((await makeGate({}, viewer)).status).toBe(403);
    expect((await viewer.put(`/api/gates/${id}`, { margin: 0 })).status).toBe(403);
    expect((await viewer.delete(`/api/gates/${id}`)).status).toBe(403);
  });
});

/** A suite of 60 cases with a completed baseline that passed every case, and helpers for runs of it. */
async function measuring(rules: object = {}) {
  const suite = await importSuite(client, CASES);
  const run = async (outcomes: Outcome[], more: object = {}): Promise<string> => {
    return settle(await submit({ suite_id: suite, ...more }), outcomes);
  };
  const from = await run(right(CASES));
  const gate = await madeGate({ suite_id: suite, baseline: { eval_id: from }, ...rules });
  return {
    suite,
    baseline: from,
    gate,
    run,
    /** Adds a sample of each case to a run. */
    async extend(id: string, outcomes: Outcome[]): Promise<string> {
      const added = await client.post(`/api/tool-eval/history/${id}/samples`, { samples: 1 });
      expect([added.status, added.body]).toEqual([202, expect.anything()]);
      return settle(added.body.eval_id, outcomes);
    },
    check: (id: string, as = client) => as.get(`/api/gates/${gate.id}/check?eval_id=${id}`),
    looks: async (): Promise<number[]> =>
      (await api.pool.query('SELECT look FROM gate_look WHERE gate_id = $1 ORDER BY look', [gate.id])).rows.map(
        ({ look }) => look,
      ),
  };
}
async function settle(runId: string, outcomes: Outcome[]): Promise<string> {
  await settleRun(api.pool, runId, outcomes);
  // An estimate would read all of it.
  await api.pool.query('UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1', [runId]);
  return complete(runId);
}
const CASES = 60;
const right = (count: number): Outcome[] => Array.from({ length: CASES }, (_, n) => Number(n < count));

describe('a check', () => {
  it.each([
    ['pass', { margin: 0.1 }, 60],
    ['inconclusive', { margin: 0.02 }, 60],
    ['fail', { margin: 0.02 }, 30],
    ['fail', { margin: 0.1, floor: { pass_rate: 0.99 } }, 50],
    ['inconclusive', { margin: 0 }, 60],
  ])('says %s by rules %j of a run with %i of 60 right', async (result, rules, count) => {
    const { gate, baseline: from, run, check, looks } = await measuring(rules);
    const id = await run(right(count));
    const { status, body } = await check(id.toUpperCase());
    expect([status, body]).toMatchObject([
      200,
      {
        gate: { id: gate.id, name: gate.name, version: 1, measure: 'overall', margin: rules.margin },
        eval_id: id,
        baseline_eval_id: from,
        result,
        look: { number: 1, planned: 4, alpha: 0.016, final: false },
        targets: [{ target: 'sim::a', result, n_cases: 60, samples: [1, 1] }],
      },
    ]);
    expect((await check(id)).body).toEqual(body);
    expect(await looks()).toEqual([1]);
    const listed = (await client.get('/api/gates?limit=200')).body.items.find((one: any) => one.id === gate.id);
    const { difference, ci } = body.targets[0];
    expect(listed.last).toMatchObject({
      ...{ result, text: body.text, version: 1, eval_id: id, gate_run_id: null },
      worst: { target: 'sim::a', result, difference, ci },
      at: expect.stringMatching(/Z$/),
    });
    expect(listed).not.toHaveProperty('sensitivity');
  });

  it('gives concurrent callers the same answer, and uses up one look', async () => {
    const { run, check, looks } = await measuring();
    const id = await run(right(58));
    const answers = await Promise.all([1, 2, 3, 4].map(() => check(id)));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    expect(await looks()).toEqual([1]);
  });

  it('takes another look when samples are added, until the last look', async () => {
    const { baseline: from, gate, run, extend, check, looks } = await measuring({ looks: 2 });
    const id = await run(right(CASES));
    const first = (await check(id)).body;
    expect(first).toMatchObject({ result: 'inconclusive', look: { number: 1, planned: 2, final: false } });
    await extend(id, right(CASES));
    const last = (await check(id)).body;
    expect(last).toMatchObject({ look: { number: 2, final: true }, targets: [{ samples: [1, 2] }] });
    await extend(from, right(CASES));
    await extend(id, right(57));
    await extend(id, right(57));
    const note = 'The data have changed since the last of 2 planned looks. Its answer stands.';
    expect((await check(id)).body).toMatchObject({
      ...last,
      notes: [note, ...last.notes],
      note_details: [{ code: 'looks_used_up', params: { planned: 2 }, text: note }, ...last.note_details],
    });
    expect(await looks()).toEqual([1, 2]);
    await client.put(`/api/gates/${gate.id}`, { looks: 1 });
    expect((await check(id)).body).toMatchObject({
      result: 'inconclusive',
      gate: { version: 2 },
      look: { number: 1, planned: 1, alpha: 0.05, final: true },
    });
    await extend(from, right(0));
    await client.put(`/api/gates/${gate.id}`, { looks: 2 });
    expect((await check(id)).body).toMatchObject({
      result: 'not_measured',
      look: { number: 0 },
      targets: [
        { reason: 'drifted', drift: [{ side: 'baseline', earlier: { samples: 120 }, later: { samples: 60 } }] },
      ],
    });
  });

  it('uses up no look when there is nothing to measure', async () => {
    const { baseline: from, run, check, looks } = await measuring();
    const unmeasured = (reason: string) => ({
      status: 200,
      body: { result: 'not_measured', look: { number: 0, final: false }, targets: [{ reason }] },
    });
    const id = await run(right(CASES).map((score, n) => (n < 6 ? null : score)));
    expect(await check(id)).toMatchObject(unmeasured('errored'));
    await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [id]);
    expect(await check(id)).toMatchObject(unmeasured('unfinished'));
    await api.pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [id]);
    expect(await check(id)).toMatchObject(unmeasured('unfinished'));
    expect(await check(from)).toMatchObject(unmeasured('no_baseline'));
    const other = await run(right(CASES));
    await client.delete(`/api/tool-eval/history/${from}`);
    expect(await check(other)).toMatchObject(unmeasured('no_baseline'));
    expect(await looks()).toEqual([]);
  });

  it('uses the current baseline of the experiment', async () => {
    const { suite, baseline: from, run } = await measuring();
    const experiment = await makeExperiment({ suite_id: suite });
    const { id: gate } = await madeGate({ suite_id: suite, baseline: { experiment_id: experiment }, margin: 0.1 });
    const id = await run(right(CASES));
    const check = async () => (await client.get(`/api/gates/${gate}/check?eval_id=${id}`)).body;
    expect(await check()).toMatchObject({ result: 'not_measured', baseline_eval_id: null });
    await client.put(`/api/experiments/${experiment}/baseline`, { eval_id: from });
    expect(await check()).toMatchObject({ result: 'pass', baseline_eval_id: from, look: { number: 1 } });
  });

  it('waits for a gate run that measures the run, and repeats the last answer', async () => {
    const { gate, run, extend, check, looks } = await measuring();
    const begin = async (id: string) => (await client.post(`/api/gates/${gate.id}/run`, { eval_id: id })).body;
    const [fresh, seen] = [await run(right(CASES)), await run(right(58))];
    const before = (await check(seen)).body;
    const runs = [await begin(fresh), await begin(seen)];
    expect((await check(fresh)).body).toMatchObject({
      result: 'not_measured',
      text: expect.stringContaining(runs[0].gate_run_id),
      look: { number: 0 },
    });
    await extend(seen, right(57));
    const note = expect.stringMatching(`The gate run ${runs[1].gate_run_id} is measuring this run.*last answer`);
    expect((await check(seen)).body).toMatchObject({
      ...before,
      notes: [note, ...before.notes],
      note_details: [{ code: 'gate_run_measuring', text: note }, ...before.note_details],
    });
    expect(await looks()).toEqual([1]);
    for (const { job_id } of runs) await client.post(`/api/jobs/${job_id}/cancel`);
    expect((await check(fresh)).body).toMatchObject({ result: 'inconclusive', look: { number: 1 } });
    expect((await check(seen)).body).toMatchObject({ look: { number: 2 } });
  });

  it('is refused for a run of another suite, one that adds samples, and one without the measure', async () => {
    const { gate, baseline: from, run, extend, check } = await measuring();
    const id = await run(right(CASES));
    const refused = { status: 422, body: { errors: [{ path: '/eval_id' }] } };
    expect(await check(baseline)).toMatchObject(refused);
    expect(await check(NOBODY)).toMatchObject(refused);
    expect(await check(await extend(id, right(CASES)))).toMatchObject({
      ...refused,
      body: { code: 'adds_samples', params: { run_id: id } },
    });
    expect((await check('x')).status).toBe(400);
    expect((await client.get(`/api/gates/${gate.id}/check`)).status).toBe(400);
    const metric = { metrics: [{ id: 'bfcl_ast' }] };
    const with_ = await run(right(CASES), metric);
    await client.put(`/api/gates/${gate.id}`, { baseline: { eval_id: with_ }, measure: 'bfcl_ast' });
    expect((await check(from)).status).toBe(422);
  });

  it('is available to everybody in the team, and to nobody else', async () => {
    const { run, check } = await measuring();
    const id = await run(right(CASES));
    const viewer = (await client.post('/api/tokens', { name: 'viewer', role: 'viewer' })).body.token;
    expect((await check(id, clientOf(api.url, viewer))).status).toBe(200);
    expect((await check(id, others)).status).toBe(404);
    const suite = await importSuite(others);
    const own = { suite_id: suite, baseline: { eval_id: await complete(await submit({ suite_id: suite }, others)) } };
    const theirs = (await makeGate(own, others)).body;
    expect((await others.get(`/api/gates/${theirs.id}/check?eval_id=${id}`)).status).toBe(422);
  });
});

describe('a gate run', () => {
  const begin = (gate: string, body?: object, as = client) => as.post(`/api/gates/${gate}/run`, body);
  async function begun(gate: string, body?: object): Promise<any> {
    const submitted = await begin(gate, body);
    expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
    const { rows } = await api.pool.query('SELECT * FROM orchestration WHERE id = $1', [submitted.body.gate_run_id]);
    return { ...submitted.body, stored: { ...rows[0], input: JSON.parse(rows[0].input) } };
  }

  it('runs the settings of its baseline, with one sample and without its budget', async () => {
    const settings = {
      models: [{ provider_key: 'sim', model_id: 'b', params: { top_p: 0.5 } }],
      temperature: 0.7,
      tool_choice: 'auto',
      max_tokens: 7,
      timeout_s: 9,
      params: { seed: 3 },
      system_prompt: { 'sim::b': 'Be brief.' },
      metrics: [{ id: 'bfcl_ast' }],
      case_filter: { tags: ['critical'] },
      model_order: 'parallel',
    };
    const from = await complete(await submit({ ...settings, samples: 3, budget: { max_requests: 100 } }));
    const gate = await madeGate({ baseline: { eval_id: from }, max_requests: 50 });
    const { stored, gate_run_id, job_id } = await begun(gate.id);
    expect(stored).toMatchObject({ step: 'run', max_requests: 50, max_cost_usd: null, subject_id: gate.id });
    const { id, name, version, suite_id: _suite, suite_name: _name, ...rest } = gate;
    const { baseline: _of, baseline_eval_id: _id, created_at: _made, updated_at: _changed, ...known } = rest;
    const { last: _last, sensitivity: _shows, ...rules } = known;
    expect(stored.input).toEqual({
      gate: { id, name, version, rules },
      baselineId: from,
      run: {
        input: {
          ...PROMPT_OF_SUITE,
          ...settings,
          metrics: [expect.objectContaining({ id: 'bfcl_ast', version: expect.anything() })],
          suite_id: suiteId,
          samples: 1,
          budget: null,
          cache: 'off',
          prompt_cache: 'off',
          experiment_id: null,
        },
        targets: [expect.objectContaining({ modelId: 'b', params: { top_p: 0.5 }, systemPrompt: 'Be brief.' })],
        estimate: expect.objectContaining({ cases: 1 }),
      },
    });
    expect((await client.get(`/api/jobs/${job_id}`)).body).toMatchObject({
      type: 'gate',
      result_ref: gate_run_id,
      progress: { total: 1 },
    });
    expect(await audits(gate.id)).toContain('gate.run');
  });

  it('applies the settings in `config`, and keeps the lower limit', async () => {
    const prices = { input_cost_per_mtok: 1, output_cost_per_mtok: 1 };
    await client.post('/api/providers', { ...provider, key: 'priced', models: [{ id: 'c', ...prices }] });
    const from = await complete(await submit({ system_prompt: { 'sim::a': 'A' }, temperature: 0.3 }));
    const gate = await madeGate({ baseline: { eval_id: from }, max_requests: 50 });
    const config = {
      models: ['priced::c'],
      temperature: 0,
      samples: 2,
      budget: { max_requests: 40, max_cost_usd: 1.5 },
    };
    expect((await begun(gate.id, { config })).stored).toMatchObject({
      max_requests: 40,
      max_cost_usd: 1.5,
      input: {
        run: {
          input: { temperature: 0, samples: 2, cache: 'off', system_prompt: {}, budget: null },
          targets: [{ providerKey: 'priced', modelId: 'c', systemPrompt: null }],
        },
      },
    });
    expect((await begun(gate.id, { config: { budget: { max_requests: 60 } } })).stored.max_requests).toBe(50);
    expect((await begun(gate.id, { config: { temperature: 0 } })).stored.input.run.input.cache).toBe('use');
  });

  it('is estimated: what it begins with, and all of its looks', async () => {
    const gate = await madeGate();
    const estimate = (body?: object) => client.post(`/api/gates/${gate.id}/run/estimate`, body);
    const { status, body } = await estimate();
    expect([status, body]).toMatchObject([200, { first: { requests: 6, cases: 6, cost_usd: null } }]);
    // The run gets 8 samples of 6 cases, and the baseline 7 more.
    expect(body.most).toEqual({ requests: 90, cost_usd: null });
    const existing = await complete(await submit());
    expect((await estimate({ eval_id: existing })).body).toEqual({ first: null, most: null });
    const wrong = await estimate({ config: { models: ['sim::gone'] } });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([422, '/config/models/0']);
  });

  it('reports faults under `config`', async () => {
    const gate = await madeGate();
    const wrong = async (config: object) => (await begin(gate.id, { config })).body.errors[0].path;
    expect(await wrong({ models: ['sim::z'] })).toBe('/config/models/0');
    expect(await wrong({ case_filter: { tags: ['nobody has it'] } })).toBe('/config/case_filter/tags/0');
    expect(await wrong({ system_prompt: { 'sim::z': 'x' } })).toBe('/config/system_prompt');
    expect(await wrong({ budget: { max_cost_usd: 1 } })).toBe('/config/budget/max_cost_usd');
    expect(await wrong({ metrics: [{ id: 'nothing' }] })).toMatch('/config/metrics/0');
    expect((await begin(gate.id, { config: { experiment_id: NOBODY } })).status).toBe(400);
    expect((await begin(gate.id, { config: {}, eval_id: baseline })).status).toBe(400);
  });

  it('runs the models of its gate, and no others', async () => {
    const two = await complete(await submit({ models: [{ provider_key: 'sim', model_id: 'a', params: { seed: 1 } }] }));
    const gate = await madeGate({ models: ['sim::b', 'sim::a'], baseline: { eval_id: two } });
    expect((await begun(gate.id)).stored.input.run.targets).toMatchObject([
      { modelId: 'b', params: {} },
      { modelId: 'a', params: { seed: 1 } },
    ]);
    for (const models of [['sim::a'], ['sim::a', 'sim::b', 'only::one-of-a-kind']])
      expect(await begin(gate.id, { config: { models } })).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/config/models' }] },
      });
    expect((await begin(gate.id, { config: { models: ['sim::a', 'sim::b'] } })).status).toBe(202);
  });

  it('has the max_tokens of its baseline, unless it sets none', async () => {
    const gate = await madeGate({ baseline: { eval_id: await complete(await submit({ max_tokens: 1024 })) } });
    const limitWith = async (config: object) => (await begun(gate.id, { config })).stored.input.run.input.max_tokens;
    expect(await limitWith({ temperature: 0.5 })).toBe(1024);
    expect(await limitWith({ max_tokens: null })).toBeNull();
  });

  it('requires models when those of the baseline were recorded', async () => {
    const recorded = await client.post('/api/tool-eval/recorded', {
      suite_id: suiteId,
      target_name: 'agent',
      replies: [{ case: 'case 0', reply: 'It rains.' }],
    });
    const gate = await madeGate({ baseline: { eval_id: await complete(recorded.body.eval_id) } });
    expect(await begin(gate.id)).toMatchObject({ status: 422, body: { errors: [{ path: '/config/models' }] } });
    expect((await begun(gate.id, { config: { models: ['sim::a'] } })).stored.input.run).toMatchObject({
      input: { temperature: 0, tool_choice: 'required', samples: 1, max_tokens: null, cache: 'use' },
    });
  });

  it('is accepted without a baseline, and runs nothing', async () => {
    const gate = await madeGate({ baseline: { experiment_id: await makeExperiment() } });
    const { stored } = await begun(gate.id, { config: { samples: 2 } });
    expect(stored.input).toEqual({ gate: expect.anything(), baselineId: null });
  });

  it('measures an existing run of its suite', async () => {
    const gate = await madeGate({ max_requests: 9 });
    const id = await complete(await submit());
    const { stored } = await begun(gate.id, { eval_id: id.toUpperCase() });
    expect(stored).toMatchObject({ max_requests: 9, input: { baselineId: baseline, evalId: id } });
    expect(stored.input.run).toBeUndefined();
    const elsewhere = await submit({ suite_id: await importSuite() });
    for (const wrong of [NOBODY, elsewhere])
      expect(await begin(gate.id, { eval_id: wrong })).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/eval_id' }] },
      });
  });

  it('is listed and read with its runs and looks', async () => {
    const gate = await madeGate();
    const [one, two] = [await begun(gate.id), await begun(gate.id, { eval_id: baseline })];
    const path = `/api/gates/${gate.id}/runs`;
    const first = (await client.get(`${path}?limit=1`)).body;
    expect(first).toMatchObject({
      items: [{ id: two.gate_run_id, eval_id: baseline, runs: [] }],
      next_cursor: two.gate_run_id,
    });
    const fresh = {
      id: one.gate_run_id,
      gate_id: gate.id,
      gate_version: 1,
      job_id: one.job_id,
      status: expect.stringMatching(/pending|queued/),
      eval_id: null,
      baseline_eval_id: baseline,
      runs: [],
      looks: [],
      result: null,
      created_at: expect.any(String),
      finished_at: null,
    };
    expect((await client.get(`${path}?cursor=${first.next_cursor}`)).body).toEqual({
      items: [fresh],
      next_cursor: null,
    });
    const child = await makeChild(one);
    const looks = [{ look: 1, samples: [1, 1], result: 'inconclusive', text: 'It cannot tell.' }];
    await api.pool.query('UPDATE orchestration SET state = $2 WHERE id = $1', [
      one.gate_run_id,
      JSON.stringify({ looks }),
    ]);
    expect((await client.get(`${path}/${one.gate_run_id}`)).body).toEqual({
      ...fresh,
      eval_id: child.eval_id,
      runs: [{ eval_id: child.eval_id, step: 'run', arm: 'candidate' }],
      looks,
    });
    const other = await madeGate();
    expect((await client.get(`/api/gates/${other.id}/runs/${one.gate_run_id}`)).status).toBe(404);
    expect((await client.get(`${path}/${NOBODY}`)).status).toBe(404);
    expect((await client.get(`${path}/x`)).status).toBe(404);
    expect((await others.get(path)).status).toBe(404);
    expect((await others.get(`${path}/${one.gate_run_id}`)).status).toBe(404);
    expect((await begin(gate.id, {}, others)).status).toBe(404);
  });

  it('is resumed by its job after it was cancelled, like any run', async () => {
    const gate = await madeGate();
    const { job_id, gate_run_id } = await begun(gate.id);
    const resume = (id: string, as = client) => as.post(`/api/jobs/${id}/resume`);
    expect((await resume(job_id)).status).toBe(409);
    await client.post(`/api/jobs/${job_id}/cancel`);
    expect((await resume(job_id, others)).status).toBe(404);
    const resumed = await resume(job_id);
    expect(resumed).toMatchObject({ status: 202, body: { gate_run_id, status: 'submitted' } });
    expect(resumed.body.job_id).not.toBe(job_id);
    expect((await client.get(`/api/gates/${gate.id}/runs/${gate_run_id}`)).body.job_id).toBe(resumed.body.job_id);
    await client.post(`/api/jobs/${resumed.body.job_id}/cancel`);
    const run = await submit();
    const { job_id: runJob } = (await client.get(`/api/tool-eval/history/${run}`)).body;
    expect((await resume(runJob)).status).toBe(409);
    await client.post(`/api/jobs/${runJob}/cancel`);
    expect(await resume(runJob)).toMatchObject({ status: 202, body: { eval_id: run } });
    const rescore = (await client.post(`/api/tool-eval/history/${baseline}/rescore`, {})).body;
    expect(await resume(rescore.job_id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('rescore') },
    });
  });

  it('prevents the deletion of its gate until it has ended, and is deleted with it', async () => {
    const gate = await madeGate();
    const { job_id, gate_run_id } = await begun(gate.id);
    expect(await client.delete(`/api/gates/${gate.id}`)).toMatchObject({ status: 409 });
    await client.post(`/api/jobs/${job_id}/cancel`);
    expect((await client.delete(`/api/gates/${gate.id}`)).status).toBe(204);
    expect((await client.get(`/api/jobs/${job_id}`)).status).toBe(404);
    while (await removeParent(api.pool, gate_run_id));
    expect((await api.pool.query('SELECT 1 FROM orchestration WHERE id = $1', [gate_run_id])).rowCount).toBe(0);
  });

  /** The run that a worker creates in its first step. */
  async function makeChild({ gate_run_id, job_id }: { gate_run_id: string; job_id: string }): Promise<any> {
    const child = (await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'] })).body;
    await api.pool.query(
      `UPDATE run SET orchestration_id = $2, step = 'run', arm = 'candidate', listed = false WHERE id = $1`,
      [child.eval_id, gate_run_id],
    );
    await api.pool.query('UPDATE job SET parent_id = $2 WHERE id = $1', [child.job_id, job_id]);
    return child;
  }

  it('makes runs that lists leave out by default, and that cannot be changed on their own', async () => {
    const gate = await madeGate();
    const { job_id, gate_run_id } = await begun(gate.id);
    const child = await makeChild({ job_id, gate_run_id });
    const ids = async (path: string): Promise<string[]> =>
      (await client.get(`${path}limit=50`)).body.items.map(({ id }: { id: string }) => id);
    expect(await ids('/api/tool-eval/history?')).not.toContain(child.eval_id);
    expect(await ids('/api/tool-eval/history?orchestrated=true&')).toContain(child.eval_id);
    expect(await ids('/api/jobs?')).not.toContain(child.job_id);
    expect(await ids('/api/jobs?')).toContain(job_id);
    expect(await ids('/api/jobs?orchestrated=true&')).toContain(child.job_id);
    expect((await client.get(`/api/tool-eval/history/${child.eval_id}`)).body).toMatchObject({
      orchestrator: { type: 'gate', id: gate_run_id },
    });
    const run = `/api/tool-eval/history/${child.eval_id}`;
    const refused = { status: 409, body: { detail: expect.stringContaining(gate_run_id) } };
    expect(await client.post(`/api/jobs/${child.job_id}/cancel`)).toMatchObject(refused);
    expect(await client.post('/api/tool-eval/cancel', { job_id: child.job_id })).toMatchObject(refused);
    await complete(child.eval_id, { status: 'cancelled' });
    expect(await client.post(`${run}/resume`)).toMatchObject(refused);
    expect(await client.post(`/api/jobs/${child.job_id}/resume`)).toMatchObject(refused);
    expect(await client.delete(run)).toMatchObject(refused);
  });
});

describe('added samples', () => {
  const add = (run: string, body: object = { samples: 2 }, as = client) =>
    as.post(`/api/tool-eval/history/${run}/samples`, body);

  it('are a separate run that the history leaves out, numbered after the existing samples', async () => {
    const run = await complete(await submit({ samples: 2, temperature: 0.4 }));
    const added = await add(run, { samples: 3, budget: { max_requests: 9 } });
    expect(added).toMatchObject({ status: 202, body: { status: 'submitted' } });
    const { body } = await client.get(`/api/tool-eval/history/${added.body.eval_id}`);
    expect(body).toMatchObject({
      job_id: added.body.job_id,
      extends_run_id: run,
      first_sample: 2,
      orchestrator: null,
      config: { temperature: 0.4, samples: 3, budget: { max_requests: 9 } },
      counts: { total: 18 },
    });
    const ids = async (query: string): Promise<string[]> =>
      (await client.get(`/api/tool-eval/history${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await ids('')).not.toContain(body.id);
    expect(await ids('?orchestrated=true')).toContain(body.id);
    expect(await audits(run)).toContain('run.extend');
    expect((await add(run, { samples: 2 }, others)).status).toBe(404);
  });

  it('are refused for an unfinished run, a recorded run, or one that adds samples itself', async () => {
    const unfinished = await submit();
    expect((await add(unfinished)).status).toBe(409);
    const run = await complete(unfinished);
    const extension = (await add(run)).body.eval_id;
    expect(await add(await complete(extension))).toMatchObject({
      status: 422,
      body: { code: 'adds_samples', params: { run_id: run } },
    });
    await api.pool.query('UPDATE target SET recorded = true WHERE run_id = $1', [run]);
    expect((await add(run)).status).toBe(422);
    expect((await add(NOBODY)).status).toBe(404);
    for (const samples of [0, 101, 1.5]) expect((await add(run, { samples })).status).toBe(400);
  });

  it('cost what their models cost: a limit needs prices, and the cap of the team applies', async () => {
    const run = await complete(await submit());
    expect(await add(run, { samples: 1, budget: { max_cost_usd: 1 } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/budget/max_cost_usd' }] },
    });
    const prices = { input_cost_per_mtok: 1, output_cost_per_mtok: 1 };
    await client.post('/api/providers', { ...provider, key: 'costly', models: [{ id: 'd', ...prices }] });
    const costly = await complete(await submit({ models: ['costly::d'] }));
    expect((await add(costly, { samples: 1, budget: { max_cost_usd: 1 } })).status).toBe(202);
    await client.put('/api/settings/spending', { monthly_cap_usd: 0 });
    try {
      expect(await add(costly)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('cap') } });
      expect((await add(run)).status).toBe(202);
    } finally {
      await client.put('/api/settings/spending', { monthly_cap_usd: null });
    }
  });
});
