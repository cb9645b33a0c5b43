import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

const NOBODY = '01a1fc11-0570-72f9-b84b-b15294fa812e';
const ROUTE = '/api/tool-eval/param-tune';

let api: SharedApi;
let client: Client;
let suiteId: string;

const priced = { input_cost_per_mtok: 1, output_cost_per_mtok: 4 };

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    models: [
      { id: 'a', ...priced },
      { id: 'b', unsupported_params: ['top_p'], ...priced },
    ],
  });
  suiteId = await importSuite(60);
}, 60_000);

const importSuite = async (cases: number): Promise<string> =>
  (await client.post('/api/tool-eval/import', weatherSuite(cases))).body.suite_id;
const SPACE = { temperature: [0, 0.5, 1], top_p: [0.5, 1] };
const body = (more: object = {}) => ({ suite_id: suiteId, models: ['sim::a'], search_space: SPACE, ...more });
const estimate = (more: object = {}) => client.post(`${ROUTE}/estimate`, body(more));
const submit = async (more: object = {}): Promise<{ tune_id: string; job_id: string }> => {
  const submitted = await client.post(ROUTE, body(more));
  expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
  return submitted.body;
};
const read = async (id: string) => (await client.get(`${ROUTE}/history/${id}`)).body;
const space = async (id: string) => (await client.get(`${ROUTE}/history/${id}/space`)).body;
const combos = async (id: string, query = '') => (await client.get(`${ROUTE}/history/${id}/combos${query}`)).body;

describe('an estimate', () => {
  it('counts combinations, distinct combinations and requests, and runs nothing', async () => {
    const { status, body: told } = await estimate({ models: ['sim::a', 'sim::b'] });
    // 42 cases to tune on and 18 held out. Model a: 6 arms and the base, which has no top_p. Model b takes no top_p:
    // three temperatures, one of them that of the base.
    const of = (arms: number) => arms * 42 + Math.min(8, arms) * 42 * 3 + 4 * 18 * 3;
    expect({ status, told }).toMatchObject({
      status: 200,
      told: { combinations: 14, distinct: { 'sim::a': 7, 'sim::b': 3 }, requests: of(7) + of(3), notes: [] },
    });
    expect(told.cost_usd).toBeGreaterThan(0);
    expect(told.targets.map(({ requests }: { requests: number }) => requests)).toEqual([of(7), of(3)]);
    const { rows } = await api.pool.query(
      `SELECT (SELECT count(*) FROM orchestration WHERE team_id = $1) +
         (SELECT count(*) FROM run WHERE team_id = $1) AS n`,
      [api.teamId],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('counts the run that promotes the winner in an experiment', async () => {
    const { body: experiment } = await client.post('/api/experiments', { name: 'e', suite_id: suiteId });
    const [alone, promoted] = [await estimate(), await estimate({ experiment_id: experiment.id })];
    expect(promoted.body.requests - alone.body.requests).toBe(60);
  });

  it('plans for a smaller budget, and says so', async () => {
    const space = { temperature: { min: 0, max: 1, step: 0.02 }, top_p: [0.2, 0.4, 0.6, 0.8] };
    const whole = (await estimate({ search_space: space })).body;
    const { body: less } = await estimate({
      search_space: space,
      budget: { max_requests: Math.round(whole.requests / 2) },
    });
    expect(less.requests).toBeLessThanOrEqual(whole.requests / 2);
    expect(less.notes).toEqual([
      `The budget is below the ${whole.requests} requests of the whole search, so it tries fewer combinations on ` +
        `fewer cases: ${less.requests} requests.`,
    ]);
    const little = await estimate({ search_space: space, budget: { max_requests: 300 } });
    expect(little.body.notes).toEqual([
      expect.stringMatching(/it tries fewer combinations/),
      expect.stringMatching(/^The search takes \d+ requests, and the budget ends it earlier/),
    ]);
    const none = await estimate({ mode: 'grid', budget: { max_requests: 10 } });
    expect(none.body.notes).toEqual([
      expect.stringMatching(/the budget ends it earlier: it will have no confirmed answer/),
    ]);
  });
});

describe('a tune', () => {
  it('keeps its settings and its arms, and keeps 0 as 0', async () => {
    const zeros = { margin: 0, seed: 0, holdout: 0, base: { temperature: 0 } };
    const { tune_id, job_id } = await submit({ ...zeros, mode: 'bayesian' });
    expect(await read(tune_id)).toMatchObject({
      id: tune_id,
      job_id,
      status: 'queued',
      suite_name: 'Weather',
      suite_version: 1,
      input: { ...zeros, mode: 'adaptive', search_space: SPACE, samples: 1, trials: 50 },
      cases: { tuning: 60, holdout: 0 },
      targets: [{ target: 'sim::a', arms: 7, distinct: 7, recommended: null, outcome: null, text: null }],
      promoted_eval_id: null,
    });
    const { items } = await combos(tune_id);
    expect(items.map(({ arm, config, state }: any) => [arm, config, state])).toEqual([
      [0, { temperature: 0 }, 'waiting'],
      [1, { temperature: 0, top_p: 0.5 }, 'waiting'],
      [2, { temperature: 0, top_p: 1 }, 'waiting'],
      [3, { temperature: 0.5, top_p: 0.5 }, 'waiting'],
      [4, { temperature: 0.5, top_p: 1 }, 'waiting'],
      [5, { temperature: 1, top_p: 0.5 }, 'waiting'],
      [6, { temperature: 1, top_p: 1 }, 'waiting'],
    ]);
  });

  it('defaults to the max_tokens of the baseline of its experiment', async () => {
    const { eval_id: baseline } = (
      await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], max_tokens: 1024 })
    ).body;
    await api.pool.query("UPDATE run SET status = 'completed', score = 0.5, finished_at = now() WHERE id = $1", [
      baseline,
    ]);
    const made = await client.post('/api/experiments', { name: 'e', suite_id: suiteId, baseline_eval_id: baseline });
    const more = { experiment_id: made.body.id };
    const baseOf = async ({ tune_id }: { tune_id: string }) => (await read(tune_id)).input.base;
    expect((await baseOf(await submit(more))).max_tokens).toBe(1024);
    expect((await baseOf(await submit({ ...more, base: { max_tokens: null } }))).max_tokens).toBeNull();
    expect((await baseOf(await submit())).max_tokens).toBeNull();
    const asked = { suite_id: suiteId, models: ['sim::a'], meta_model: 'sim::b', ...more };
    const { tune_id } = (await client.post('/api/tool-eval/prompt-tune', asked)).body;
    expect((await client.get(`/api/tool-eval/prompt-tune/history/${tune_id}`)).body.input).toMatchObject({
      max_tokens: 1024,
      meta_params: { max_tokens: 8192 },
    });
  });

  it('shows which arms make the same requests, and which parameters the provider ignores', async () => {
    const { tune_id } = await submit({ models: ['sim::b'], base: { temperature: 0 } });
    const { items } = await combos(tune_id);
    expect(items.map(({ arm, same_as }: any) => [arm, same_as])).toEqual([
      [0, null],
      [1, 0],
      [2, 0],
      [3, null],
      [4, 3],
      [5, null],
      [6, 5],
    ]);
    expect(items[1].adjustments).toEqual([expect.stringMatching(/top_p/)]);
    expect(items[1].resolved).toEqual(items[0].resolved);
  });

  it('has a separate space for a model, named in full or as submitted', async () => {
    const own = { temperature: [0.7] };
    const { body: told } = await estimate({ models: ['sim::a', 'b'], per_model_search_spaces: { b: own } });
    expect(told.distinct).toEqual({ 'sim::a': 7, 'sim::b': 2 });
    const named = await estimate({ models: ['sim::a', 'b'], per_model_search_spaces: { 'sim::b': own } });
    expect(named.body.distinct).toEqual(told.distinct);
  });

  it('keeps the numbers of its space as written', async () => {
    const text = JSON.stringify(body({ search_space: 'SPACE', mode: 'grid' })).replace(
      '"SPACE"',
      '{"big": [12345678901234567890, 5.0, 5]}',
    );
    const { body: submitted } = await client.send('POST', ROUTE, text, { 'content-type': 'application/json' });
    const { rows } = await api.pool.query('SELECT config FROM tune_arm WHERE tune_id = $1 ORDER BY arm', [
      submitted.tune_id,
    ]);
    expect(rows.map(({ config }) => config).join()).toMatch(/"big":12345678901234567890.*"big":5\.0\b.*"big":5\b/);
  });

  it('lists its arms page by page, or those of one model', async () => {
    const { tune_id } = await submit({ models: ['sim::a', 'sim::b'] });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = await combos(tune_id, `?limit=5${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ target, arm }: any) => `${target} ${arm}`));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['a', 'b'].flatMap((model) => Array.from({ length: 7 }, (_, n) => `sim::${model} ${n}`)));
    expect((await combos(tune_id, '?target=sim::b')).items).toHaveLength(7);
    expect((await combos(tune_id, '?target=nobody')).items).toEqual([]);
    expect((await combos(tune_id, '?target=sim::b&arm=3')).items).toEqual([
      expect.objectContaining({ target: 'sim::b', arm: 3 }),
    ]);
    expect((await client.get(`${ROUTE}/history/${tune_id}/combos?cursor=x`)).status).toBe(400);
  });

  it('has all its arms in columns, the same as its list', async () => {
    const { tune_id } = await submit({ models: ['sim::a', 'sim::b'], search_space: { ...SPACE, stop: [null, ['a']] } });
    const { parameters, stages, models } = await space(tune_id);
    const arms = models.flatMap(({ target, values, same_as: sameAs, stage, mean, cases }: any) =>
      values.map((places: (number | null)[], arm: number) => ({
        ...{ arm, target, same_as: sameAs[arm], mean: mean[arm], cases: cases[arm] },
        ...stages[stage[arm]],
        config: Object.fromEntries(
          places.flatMap((place, n) => (place === null ? [] : [[parameters[n].name, parameters[n].values[place]]])),
        ),
      })),
    );
    const listed = (await combos(tune_id, '?limit=200')).items;
    expect(listed).toHaveLength(26);
    expect(arms).toEqual(
      listed.map(({ arm, target, same_as, mean, cases, state, rung, tied, adjustments, config }: any) => ({
        ...{ arm, target, same_as, mean, cases, state, rung, tied, adjusted: adjustments.length > 0, config },
      })),
    );
    expect((await client.get(`${ROUTE}/history/${NOBODY}/space`)).status).toBe(404);
    const others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    expect((await others.get(`${ROUTE}/history/${tune_id}/space`)).status).toBe(404);
  });

  it('has ten thousand arms in one answer of a few hundred kilobytes', async () => {
    const many = { a: { min: 1, max: 100, step: 1 }, temperature: { min: 0.01, max: 0.99, step: 0.01 } };
    const { tune_id } = await submit({ search_space: many, mode: 'random', trials: 20 });
    const answer = await space(tune_id);
    expect(answer.models[0].values).toHaveLength(9901);
    expect(JSON.stringify(answer).length).toBeLessThan(600_000);
  });

  it('is in the history, the newest first, until it is deleted', async () => {
    const [first, second] = [await submit(), await submit()];
    const list = async () => (await client.get(`${ROUTE}/history?limit=2`)).body.items.map(({ id }: any) => id);
    expect(await list()).toEqual([second.tune_id, first.tune_id]);
    expect(await client.delete(`${ROUTE}/history/${second.tune_id}`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/not finished\. Cancel it first/) },
    });
    await client.post(`/api/jobs/${second.job_id}/cancel`);
    expect((await client.delete(`${ROUTE}/history/${second.tune_id}`)).status).toBe(204);
    expect((await list())[0]).toBe(first.tune_id);
    expect((await client.get(`/api/jobs/${second.job_id}`)).status).toBe(404);
    expect((await client.delete(`${ROUTE}/history/${NOBODY}`)).status).toBe(404);
  });

  it('has a name that its list and its job show, until it is changed or removed', async () => {
    const { tune_id: id, job_id: job } = await submit({ name: ' Colder is better ' });
    const path = `${ROUTE}/history/${id}`;
    expect(await read(id)).toMatchObject({ name: 'Colder is better', input: { name: 'Colder is better' } });
    expect((await client.get(`/api/jobs/${job}`)).body.name).toBe('Colder is better');
    expect((await client.patch(path, { name: 'Warmer' })).body.name).toBe('Warmer');
    expect((await client.get(`${ROUTE}/history?limit=1`)).body.items[0]).toMatchObject({ id, name: 'Warmer' });
    for (const name of [' ', 'x'.repeat(201), 7]) expect((await client.patch(path, { name })).status).toBe(400);
    expect((await client.patch(path, { name: null })).body).toMatchObject({ name: null, input: { name: null } });
    expect((await client.patch(`${ROUTE}/history/${NOBODY}`, { name: 'x' })).status).toBe(404);
  });

  it('outlives its experiment, and then belongs to none', async () => {
    const { body: experiment } = await client.post('/api/experiments', { name: 'e', suite_id: suiteId });
    const { tune_id } = await submit({ experiment_id: experiment.id });
    expect((await read(tune_id)).experiment_id).toBe(experiment.id);
    expect((await client.delete(`/api/experiments/${experiment.id}`)).status).toBe(204);
    expect(await read(tune_id)).toMatchObject({ experiment_id: null, input: { experiment_id: experiment.id } });
  });
});

describe('a tune is refused', () => {
  const refused = async (more: object): Promise<any> => {
    const [told, submitted] = [await estimate(more), await client.post(ROUTE, body(more))];
    expect([told.status, submitted.status]).toEqual([422, 422]);
    expect(submitted.body.detail).toBe(told.body.detail);
    return { detail: told.body.detail, errors: told.body.errors };
  };
  const at = (path: string, message: RegExp) => [{ path, message: expect.stringMatching(message) }];

  it.each([
    ['an empty space', {}, '/search_space', /empty: give at least one parameter/],
    ['a parameter without values', { top_p: [] }, '/search_space/top_p', /has no value/],
    ['a step of 0', { top_p: { min: 0, max: 1, step: 0 } }, '/search_space/top_p', /"step" above 0/],
    ['a min above its max', { top_p: { min: 1, max: 0, step: 0.1 } }, '/search_space/top_p', /"min" above its "max"/],
    ['a range of texts', { top_p: { min: 'a', max: 'b', step: 1 } }, '/search_space/top_p', /numbers "min" and "max"/],
    ['an unknown tool_choice', { tool_choice: ['sometimes'] }, '/search_space/tool_choice', /"sometimes"/],
    ['a temperature that is a text', { temperature: ['hot'] }, '/search_space/temperature', /"hot"/],
    ['a temperature of 3', { temperature: [3] }, '/search_space/temperature', /has the value 3/],
    ['half a token', { max_tokens: [0.5] }, '/search_space/max_tokens', /has the value 0.5/],
    ['the messages', { messages: ['x'] }, '/search_space/messages', /./],
    ['the model', { model: ['x'] }, '/search_space/model', /./],
    ['the tools', { tools: [[]] }, '/search_space/tools', /./],
    ['streaming', { stream: [true] }, '/search_space/stream', /./],
    ['the samples of a run', { samples: [1, 2] }, '/search_space/samples', /setting of the run/],
    [
      'too many combinations',
      { a: { min: 1, max: 1000, step: 1 }, b: { min: 1, max: 11, step: 1 } },
      '/search_space',
      /12001 combinations|11000 combinations|the limit of a tune is 10000/,
    ],
    [
      'too many parameters',
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, [1]])),
      '/search_space',
      /21 parameters, and may have 20/,
    ],
  ])('with %s', async (_what, search_space, path, message) => {
    const { detail, errors } = await refused({ search_space });
    expect(detail).toMatch(/^The search space cannot be searched/);
    expect(errors).toEqual(at(path, message));
  });

  it('with a space that is not an object', async () => {
    expect((await estimate({ search_space: [1] })).status).toBe(400);
  });

  it('when the space of a single model is wrong, or names no model', async () => {
    expect(await refused({ per_model_search_spaces: { 'sim::a': { top_p: [] } } })).toMatchObject({
      errors: at('/per_model_search_spaces/sim::a/top_p', /has no value/),
    });
    expect(await refused({ per_model_search_spaces: { 'sim::c': SPACE } })).toMatchObject({
      detail: '"sim::c" is not one of the tuned models: sim::a.',
      errors: at('/per_model_search_spaces/sim::c', /is not one of/),
    });
  });

  it('when its values are long, before they are multiplied', async () => {
    const texts = Array.from({ length: 10 }, (_, n) => `${n}${'x'.repeat(900)}`);
    const many = { a: texts, b: { min: 1, max: 1000, step: 1 } };
    expect(await refused({ search_space: many })).toMatchObject({
      errors: at('/search_space', /10000 combinations with long values/),
    });
    const params = { extra: 'x'.repeat(900_000) };
    expect(await refused({ base: { params } })).toMatchObject({ errors: at('/search_space', /with long values/) });
    const long = await refused({ search_space: { a: ['x'.repeat(60_000)] } });
    expect(long.detail).toMatch(/has 600\d\d characters as JSON; the limit is 50000/);
    const preset = { name: 'long', search_space: { a: ['x'.repeat(60_000)] } };
    expect((await client.post('/api/param-presets', preset)).status).toBe(422);
  });

  it('when too many tunes of a team wait to be planned, without blocking other teams', async () => {
    const large = { search_space: { a: { min: 1, max: 100, step: 1 }, b: { min: 1, max: 90, step: 1 } } };
    const others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    const asked = Array.from({ length: 40 }, () => estimate(large));
    const answered = await others.get('/api/param-presets');
    expect(answered.status).toBe(200);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(9);
    expect(statuses.filter((status) => status === 200)).toHaveLength(31);
  });

  it('when the base cannot be run, with the path of the fault', async () => {
    expect(await refused({ base: { params: { n: 2 } } })).toMatchObject({ errors: at('/base/params/n', /./) });
    expect((await estimate({ base: { temperature: 9 } })).body.errors).toEqual(at('/base/temperature', /./));
  });

  it('when a grid has too many combinations, with the count and a way out', async () => {
    expect(await refused({ mode: 'grid', max_combinations: 6 })).toMatchObject({
      detail: expect.stringMatching(/all 7 combinations of sim::a; the limit is 6\..*"adaptive"/),
      errors: at('/mode', /use "adaptive"/),
    });
    expect((await estimate({ mode: 'adaptive', max_combinations: 6 })).status).toBe(200);
  });

  it('when the suite has too few cases to hold some out, or to learn from', async () => {
    const few = await importSuite(33);
    expect(await refused({ suite_id: few })).toMatchObject({
      detail: expect.stringMatching(
        /33 cases, of which 9 would be held out and 24 left.*34 cases with a holdout of 0.3/,
      ),
      errors: at('/holdout', /holds out 9 of 33/),
    });
    const enough = await importSuite(34);
    expect((await estimate({ suite_id: enough })).status).toBe(200);
    const seven = await importSuite(7);
    expect(await refused({ suite_id: seven, holdout: 0 })).toMatchObject({
      detail: expect.stringMatching(/at least 8 cases, and the suite has 7. Use the mode "grid"/),
      errors: at('/mode', /"grid"/),
    });
    expect((await estimate({ suite_id: seven, holdout: 0, mode: 'grid' })).status).toBe(200);
  });

  it('when it takes too many requests', async () => {
    const many = { a: { min: 1, max: 100, step: 1 }, b: { min: 1, max: 50, step: 1 } };
    expect(await refused({ search_space: many, mode: 'grid', max_combinations: 10_000, samples: 20 })).toMatchObject({
      detail: expect.stringMatching(/the limit is 1000000\. Use the mode "adaptive"/),
    });
  });

  it('when all models together have too many combinations', async () => {
    const many = { a: { min: 1, max: 100, step: 1 }, b: { min: 1, max: 60, step: 1 } };
    expect(await refused({ models: ['sim::a', 'sim::b'], search_space: many })).toMatchObject({
      detail: 'The models have 12002 combinations in all; the limit of a tune is 10000. Tune fewer models at once.',
    });
  });

  it('when the model, the suite or the experiment does not exist', async () => {
    expect((await client.post(ROUTE, body({ models: ['sim::nobody'] }))).status).toBe(422);
    expect((await client.post(ROUTE, body({ suite_id: NOBODY }))).status).toBe(422);
    expect((await client.post(ROUTE, body({ experiment_id: NOBODY }))).status).toBe(422);
  });
});

describe('a preset', () => {
  it('keeps a space under a name until it is deleted', async () => {
    const input = { name: ' Sampling ', search_space: SPACE };
    const made = await client.post('/api/param-presets', input);
    expect(made).toMatchObject({ status: 201, body: { name: 'Sampling', search_space: SPACE } });
    expect((await client.get('/api/param-presets')).body).toEqual({ items: [made.body], next_cursor: null });
    expect(await client.post('/api/param-presets', input)).toMatchObject({
      status: 409,
      body: { detail: 'There is a preset "Sampling" already. Delete it first or use another name.' },
    });
    expect((await client.delete(`/api/param-presets/${made.body.id}`)).status).toBe(204);
    expect((await client.delete(`/api/param-presets/${made.body.id}`)).status).toBe(404);
  });

  it('refuses a space that no tune could search', async () => {
    expect(await client.post('/api/param-presets', { name: 'x', search_space: { stream: [true] } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/search_space/stream' }] },
    });
  });

  it('is created by editors, and visible only to its team', async () => {
    const viewer = clientOf(api.url, (await client.post('/api/tokens', { name: 'v', role: 'viewer' })).body.token);
    expect((await viewer.post('/api/param-presets', { name: 'v', search_space: SPACE })).status).toBe(403);
    expect((await viewer.post(ROUTE, body())).status).toBe(403);
    const others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    await client.post('/api/param-presets', { name: 'mine', search_space: SPACE });
    expect((await others.get('/api/param-presets')).body.items).toEqual([]);
    expect((await others.post('/api/param-presets', { name: 'mine', search_space: SPACE })).status).toBe(201);
  });
});
