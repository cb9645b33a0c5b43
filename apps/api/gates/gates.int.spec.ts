import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

const NOBODY = '01a1fc11-0570-72f9-b84b-b15294fa812e';

let api: ApiInProcess;
let client: Client;
let others: Client;
let suiteId: string;
let baseline: string;

const provider = { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }, { id: 'b' }] };

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  others = clientOf(api.url, (await client.post('/api/teams', { name: 'others' })).body.token.token);
  for (const team of [client, others]) await team.post('/api/providers', provider);
  suiteId = await importSuite();
  baseline = await complete(await submit());
}, 60_000);
afterAll(() => api.close());

async function importSuite(as: Client = client): Promise<string> {
  const suite = weatherSuite(6);
  const test_cases = suite.test_cases.map((one, n) => ({ ...one, tags: n === 0 ? ['critical', 'paris'] : ['paris'] }));
  return (await as.post('/api/tool-eval/import', { ...suite, test_cases })).body.suite_id;
}

async function submit(more: object = {}, as: Client = client): Promise<string> {
  const submitted = await as.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });
  expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
  return submitted.body.eval_id;
}

/** What a worker leaves of a run that is completed. */
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
  it('has rules that need no thought: two points of the overall score, four looks, no floor', async () => {
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

  it('keeps a margin, a floor and a share of 0', async () => {
    const zeros = { margin: 0, floor: { pass_rate: 0 }, max_errored_share: 0 };
    const gate = await madeGate(zeros);
    expect(gate).toMatchObject(zeros);
    expect((await client.put(`/api/gates/${gate.id}`, zeros)).body).toMatchObject({ ...zeros, version: 1 });
  });

  it('has the baseline that its experiment has at the time, also when that is none yet', async () => {
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

  it('names its models in full, whichever way they were given', async () => {
    await client.post('/api/providers', { ...provider, key: 'only', models: [{ id: 'one-of-a-kind' }] });
    expect(await madeGate({ models: ['one-of-a-kind', 'sim::b'] })).toMatchObject({
      models: ['only::one-of-a-kind', 'sim::b'],
    });
  });

  it('may be about the recorded models of its baseline', async () => {
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

  it('puts a run that a gate run made into the history, once it is a baseline', async () => {
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
      const taken = { status: 409, body: { detail: expect.stringContaining(id) } };
      expect(await makeGate({ name })).toMatchObject(taken);
      const other = await madeGate();
      expect(await client.put(`/api/gates/${other.id}`, { name })).toMatchObject(taken);
      expect(await client.put(`/api/gates/${id}`, { name })).toMatchObject({ status: 200, body: { version: 1 } });
    });

    it('once, when two ask for the same name at once', async () => {
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
        /adds samples to another one. Name that one, [0-9a-f-]{36}/,
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
      ['model that is listed twice', { models: ['sim::a', 'sim::a'] }, '/models/1', /listed before/],
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
      ['two baselines', { baseline: { eval_id: NOBODY, experiment_id: NOBODY } }],
      ['no baseline', { baseline: {} }],
      ['a margin above 1', { margin: 1.1 }],
      ['no look', { looks: 0 }],
      ['five looks', { looks: 5 }],
      ['no model', { models: [] }],
      ['a floor above 1', { floor: { pass_rate: 2 } }],
      ['an unknown field', { threshold: 1 }],
    ])('with %s', async (_what, wrong) => {
      expect((await makeGate(wrong)).status).toBe(400);
    });
  });

  describe('changes', () => {
    it('to its next version with each of its rules', async () => {
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

    it('not to another version with its name, nor with rules that it has', async () => {
      const { id, name: _name, created_at: _c, updated_at, ...gate } = await madeGate({ critical_tags: ['paris'] });
      const { suite_id: _s, suite_name: _n, baseline_eval_id: _b, version: _v, ...rules } = gate;
      const same = { ...rules, baseline: { eval_id: baseline.toUpperCase() } };
      expect(await client.put(`/api/gates/${id}`, same)).toMatchObject({ status: 200, body: { ...gate, updated_at } });
      const named = await client.put(`/api/gates/${id}`, { name: `other ${names++}` });
      expect(named).toMatchObject({ status: 200, body: gate });
    });

    it('its rules though its baseline was deleted', async () => {
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

    it('not at all with an empty body', async () => {
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

  it('is gone after it is deleted, and its name is free', async () => {
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
  it('reads gates, and makes, changes and deletes none', async () => {
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
