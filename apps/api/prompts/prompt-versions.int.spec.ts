import { MAX_PROMPT_VERSIONS } from '#lib/contracts/prompt-version';
import { PROMPT_VERSION_OF_RUN } from '#lib/db/read/prompt-use';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let suiteId: string;

const VERSIONS = '/api/prompt-versions';
const NOWHERE = '01a1fc11-0570-72f9-b84b-b15294fa812e';
const TOOL = 'tools/get_weather/description';
const CITY = 'tools/get_weather/parameters/properties/city/description';
const texts = { system_prompt: 'Be brief.', [TOOL]: 'Get the current weather of a city' };

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    models: [{ id: 'a' }],
  });
  suiteId = await importSuite();
}, 60_000);

const importSuite = async (): Promise<string> =>
  (await client.post('/api/tool-eval/import', weatherSuite(2))).body.suite_id;
const create = async (more: object = {}) =>
  (await client.post(VERSIONS, { suite_id: suiteId, components: texts, ...more })).body;

describe('the runs of a prompt version', () => {
  it('are counted, and the newest completed one has its score, for the team of the version alone', async () => {
    const { id } = await create();
    const run = async (by: Client, body: object) => (await by.post('/api/tool-eval', body)).body.eval_id as string;
    const body = { suite_id: suiteId, models: ['sim::a'] };
    const [first, second] = [
      await run(client, { ...body, prompt_version_id: id, name: 'Nightly 8' }),
      await run(client, { ...body, prompt_version_id: id }),
    ];
    await run(client, body);
    const used = async () => {
      const read = (await client.get(`${VERSIONS}/${id}`)).body.used;
      const { items } = (await client.get(`${VERSIONS}?suite_id=${suiteId}`)).body;
      expect(items.find((item: { id: string }) => item.id === id).used).toEqual(read);
      return read;
    };
    expect(await used()).toEqual({ runs: 2, newest: null });
    const end = (runId: string, score: number) =>
      api.pool.query(`UPDATE run SET status = 'completed', score = $2, finished_at = now() WHERE id = $1`, [
        runId,
        score,
      ]);
    await end(first, 0.9);
    expect(await used()).toEqual({
      runs: 2,
      newest: {
        ...{ run: { id: first, name: 'Nightly 8' }, suite_version: 1, score: 0.9, n_models: 1 },
        ...{ finished_at: expect.any(String), against: null },
      },
    });
    await end(second, 0.5);
    expect((await used()).newest).toMatchObject({ run: { id: second, name: null }, score: 0.5 });
    // A run of another team that names it, however that came to be, counts for nobody.
    const { id: team } = (await api.anotherTeam()).body;
    await api.pool.query('UPDATE run SET team_id = $2 WHERE id = $1', [second, team]);
    expect(await used()).toMatchObject({ runs: 1, newest: { score: 0.9 } });
    await client.delete(`/api/tool-eval/history/${first}`);
    expect(await used()).toEqual({ runs: 0, newest: null });
  });

  it('are found by an index', async () => {
    const sql = `SELECT 1 FROM run WHERE ${PROMPT_VERSION_OF_RUN} = 'x' AND run.listed AND run.team_id = $1`;
    const connection = await api.pool.connect();
    try {
      // On an empty table, the planner may as well take another index of the team's runs.
      await connection.query('BEGIN; SET LOCAL enable_seqscan = off; DROP INDEX run_by_errored');
      const { rows } = await connection.query(`EXPLAIN ${sql}`, [NOWHERE]);
      expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('run_prompt_version');
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });
});

describe('a prompt version', () => {
  it('has texts that never change, a label and tags that can change, and an author', async () => {
    const made = await client.post(VERSIONS, {
      suite_id: suiteId,
      components: texts,
      label: 'Brief',
      tags: ['a', 'a'],
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        suite_id: suiteId,
        label: 'Brief',
        tags: ['a'],
        source: 'manual',
        parent_id: null,
        origin: null,
        components: texts,
        components_count: 2,
        created_by: 'owner',
      },
    });
    const { id } = made.body;
    const changed = await client.patch(`${VERSIONS}/${id}`, { label: 'Briefer', tags: ['b', 'c'] });
    expect(changed.body).toEqual({ ...made.body, label: 'Briefer', tags: ['b', 'c'] });
    expect((await client.patch(`${VERSIONS}/${id}`, { label: '' })).body).toMatchObject({
      label: '',
      tags: ['b', 'c'],
    });
    expect((await client.get(`${VERSIONS}/${id}`)).body.components).toEqual(texts);
    expect((await client.patch(`${VERSIONS}/${id}`, { components: {} })).status).toBe(400);
    const audited = await api.pool.query(`SELECT action FROM audit WHERE subject = $1 ORDER BY id`, [id]);
    expect(audited.rows.map(({ action }) => action)).toEqual([
      'prompt_version.create',
      'prompt_version.update',
      'prompt_version.update',
    ]);
    expect((await client.delete(`${VERSIONS}/${id}`)).status).toBe(204);
    expect((await client.get(`${VERSIONS}/${id}`)).status).toBe(404);
  });

  it('is listed newest first, by suite and by tag, without its texts', async () => {
    const other = await importSuite();
    const [one, two] = [await create({ tags: ['listed'] }), await create({ suite_id: other, tags: ['listed'] })];
    const list = async (query: string) => (await client.get(`${VERSIONS}?${query}`)).body;
    const { components: _texts, ...head } = two;
    expect((await list(`suite_id=${other}`)).items).toEqual([head]);
    const ids = async (query: string) => (await list(query)).items.map(({ id }: { id: string }) => id);
    expect(await ids('tag=listed')).toEqual([two.id, one.id]);
    expect(await ids(`tag=listed&suite_id=${suiteId}`)).toEqual([one.id]);
    const first = await list('tag=listed&limit=1');
    expect(first.items).toHaveLength(1);
    expect((await client.get(`${VERSIONS}?tag=%00`)).status).toBe(422);
    expect(await ids(`tag=listed&limit=1&cursor=${first.next_cursor}`)).toEqual([one.id]);
  });

  it('takes a tag from the version that had it, also when two take it at once', async () => {
    const other = await create({ suite_id: await importSuite(), tags: ['production'] });
    const [a, b, c] = [await create({ tags: ['production', 'kept'] }), await create(), await create()];
    await Promise.all([b, c].map(({ id }) => client.patch(`${VERSIONS}/${id}`, { tags: ['production'] })));
    const tagsOf = async ({ id }: { id: string }) => (await client.get(`${VERSIONS}/${id}`)).body.tags;
    expect(await tagsOf(a)).toEqual(['kept']);
    expect([...(await tagsOf(b)), ...(await tagsOf(c))]).toEqual(['production']);
    expect(await tagsOf(other)).toEqual(['production']);
  });

  it.each([
    ['no text', { components: {} }, 400, '/components', /at least one/],
    ['an unknown place', { components: { prompt: 'x' } }, 400, '/components/prompt', /tools\/<name>\/description/],
    ['a tag like an id', { tags: [NOWHERE] }, 400, '/tags/0', /must not look like an id/],
    ['a tag in capitals', { tags: ['Production'] }, 400, '/tags/0', /a-z, 0-9/],
    [
      'a text of a tool that the suite does not have',
      { components: { 'tools/get_wether/description': 'x' } },
      422,
      '/components/tools~1get_wether~1description',
      /The suite has no "tools\/get_wether\/description"\. Its tools: get_weather\./,
    ],
    [
      'a text of a parameter that the tool does not have',
      { components: { 'tools/get_weather/parameters/properties/town/description': 'x' } },
      422,
      '/components/tools~1get_weather~1parameters~1properties~1town~1description',
      /get_weather has no such parameter/,
    ],
    [
      'a description that makes the tool too large',
      { components: { [TOOL]: 'x'.repeat(20_001) } },
      422,
      '/components/tools~1get_weather~1description',
      /has a description of 20001 characters \(the limit is 20000\)/,
    ],
    [
      'schemas that make the tool too large',
      { components: { [CITY]: 'ü'.repeat(40_000) } },
      422,
      `/components/${CITY.replaceAll('/', '~1')}`,
      /the tool get_weather has \d+ bytes, and a tool may have 65536/,
    ],
    ['a parent that does not exist', { parent_id: NOWHERE }, 422, '/parent_id', /is not a version of the suite/],
    ['a suite that does not exist', { suite_id: NOWHERE }, 422, '/suite_id', /does not exist/],
  ])('is refused with %s', async (_what, more, status, path, message) => {
    const answer = await client.post(VERSIONS, { suite_id: suiteId, components: texts, ...more });
    expect(answer).toMatchObject({
      status,
      body: { errors: [{ path, message: expect.stringMatching(message) as string }] },
    });
  });

  it('is refused when the suite has the maximum number', async () => {
    const full = await importSuite();
    await create({ suite_id: full });
    await api.pool.query(
      `INSERT INTO prompt_version (id, team_id, suite_id, tags, source, components, components_count)
       SELECT gen_random_uuid(), team_id, suite_id, '{}', 'manual', '{}', 0
       FROM prompt_version, generate_series(2, $2) WHERE suite_id = $1`,
      [full, MAX_PROMPT_VERSIONS],
    );
    expect(await client.post(VERSIONS, { suite_id: full, components: texts })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/has 1000 prompt versions.* Delete some/) as string },
    });
  });

  it('is changed only by editors, and stays when its suite or parent is deleted', async () => {
    const doomed = await importSuite();
    const parent = await create({ suite_id: doomed });
    const child = await create({ suite_id: doomed, parent_id: parent.id });
    const token = (await client.post('/api/tokens', { name: 'v', role: 'viewer' })).body.token;
    const viewer = clientOf(api.url, token);
    expect((await viewer.get(`${VERSIONS}/${child.id}`)).body).toEqual(child);
    expect((await viewer.patch(`${VERSIONS}/${child.id}`, { label: 'x' })).status).toBe(403);
    await client.delete(`${VERSIONS}/${parent.id}`);
    await client.delete(`/api/tool-suites/${doomed}`);
    expect((await client.get(`${VERSIONS}/${child.id}`)).body).toEqual({ ...child, suite_id: null, parent_id: null });
    expect(await client.get(`${VERSIONS}/${child.id}/diff`)).toMatchObject({ status: 422 });
  });
});

describe('the diff of a prompt version', () => {
  it('is word by word, against the current suite, and never changes the suite', async () => {
    const version = await create();
    expect((await client.get(`${VERSIONS}/${version.id}/diff?to=suite`)).body).toEqual({
      from: version.id,
      to: 'suite',
      components: [
        { component: 'system_prompt', from: 'Be brief.', to: '', hunks: [{ op: 'removed', text: 'Be brief.' }] },
        {
          component: TOOL,
          from: 'Get the current weather of a city',
          to: 'Get current weather for a city',
          hunks: [
            { op: 'same', text: 'Get ' },
            { op: 'removed', text: 'the ' },
            { op: 'same', text: 'current weather ' },
            { op: 'removed', text: 'of' },
            { op: 'added', text: 'for' },
            { op: 'same', text: ' a city' },
          ],
        },
      ],
    });
    expect((await client.get(`/api/tool-suites/${suiteId}?cases=false`)).body).toMatchObject({ version: 1 });
  });

  it('is against the parent if there is one; a missing text is that of the suite', async () => {
    const parent = await create({ components: { [CITY]: 'A city.', [TOOL]: 'Same.' } });
    const child = await create({ components: { [TOOL]: 'Same.', system_prompt: '' }, parent_id: parent.id });
    expect((await client.get(`${VERSIONS}/${child.id}/diff`)).body).toEqual({
      from: child.id,
      to: parent.id,
      components: [{ component: CITY, from: '', to: 'A city.', hunks: [{ op: 'added', text: 'A city.' }] }],
    });
    const back = (await client.get(`${VERSIONS}/${parent.id}/diff?to=${child.id.toUpperCase()}`)).body;
    expect(back.components).toMatchObject([{ from: 'A city.', to: '' }]);
  });

  it('replaces long texts with nothing in common as a whole', async () => {
    const text = (word: string) => Array.from({ length: 6_000 }, (_, n) => `${word}${n}`).join(' ');
    const from = await create({ components: { system_prompt: text('a') } });
    const to = await create({ components: { system_prompt: text('b') } });
    const { hunks } = (await client.get(`${VERSIONS}/${from.id}/diff?to=${to.id}`)).body.components[0];
    expect(hunks.map(({ op }: { op: string }) => op)).toEqual(['removed', 'added']);
  });

  it('is refused with a version that does not exist or belongs to another suite', async () => {
    const version = await create();
    const elsewhere = await create({ suite_id: await importSuite() });
    for (const to of [NOWHERE, 'production', elsewhere.id])
      expect(await client.get(`${VERSIONS}/${version.id}/diff?to=${to}`)).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/to' }] },
      });
  });
});

describe('a run', () => {
  const submit = (more: object) => client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });
  const configOf = async ({ eval_id }: { eval_id: string }) =>
    (await client.get(`/api/tool-eval/history/${eval_id}`)).body.config;

  it('takes the texts of a version by id or tag, stores them, and prefers its own', async () => {
    const version = await create({ tags: ['for-runs'] });
    const taken = { base_prompt: 'Be brief.', tool_overrides: { [TOOL]: texts[TOOL] }, prompt_version_id: version.id };
    expect(await configOf((await submit({ prompt_version_id: version.id })).body)).toMatchObject(taken);
    expect(await configOf((await submit({ prompt_version_id: 'for-runs' })).body)).toMatchObject(taken);
    const own = { base_prompt: '', tool_overrides: { [CITY]: 'A city.' }, prompt_version_id: version.id };
    expect(await configOf((await submit(own)).body)).toMatchObject({
      ...own,
      tool_overrides: { [CITY]: 'A city.', [TOOL]: texts[TOOL] },
    });
    expect(await configOf((await submit({})).body)).toMatchObject({
      base_prompt: null,
      tool_overrides: {},
      prompt_version_id: null,
    });
  });

  it.each([
    ['an unknown id', { prompt_version_id: NOWHERE }, 422, '/prompt_version_id', new RegExp(NOWHERE)],
    ['an invalid tag', { prompt_version_id: 'a\u0000b' }, 422, '/prompt_version_id', /cannot be stored|has the tag/],
    ['an unknown tag', { prompt_version_id: 'nothing' }, 422, '/prompt_version_id', /has the tag "nothing"/],
    [
      'a text that the suite does not have',
      { tool_overrides: { 'tools/other/description': 'x' } },
      422,
      '/tool_overrides/tools~1other~1description',
      /The suite has no "tools\/other\/description"/,
    ],
    [
      'a system prompt among descriptions',
      { tool_overrides: { system_prompt: 'x' } },
      400,
      '/tool_overrides/system_prompt',
      /a/,
    ],
  ])('is refused, and so is its estimate, with %s', async (_what, more, status, path, detail) => {
    for (const route of ['/api/tool-eval', '/api/tool-eval/estimate'])
      expect(await client.post(route, { suite_id: suiteId, models: ['sim::a'], ...more })).toMatchObject({
        status,
        body: { detail: expect.stringMatching(detail) as string, errors: [{ path }] },
      });
  });

  it('is refused with a version whose texts no longer fit the suite', async () => {
    const changing = await importSuite();
    const { id } = await create({ suite_id: changing, components: { [CITY]: 'A city.' } });
    const { tools } = weatherSuite(0);
    const { city: _city, ...properties } = tools[0]!.function.parameters.properties;
    tools[0]!.function.parameters = { type: 'object', properties, required: [] } as never;
    const cases = (await client.get(`/api/tool-suites/${changing}`)).body.test_cases as { id: string }[];
    for (const one of cases)
      await client.put(`/api/tool-suites/${changing}/cases/${one.id}`, { prompt: 'p', expected_tool: 'get_weather' });
    expect((await client.patch(`/api/tool-suites/${changing}`, { tools })).status).toBe(200);
    expect(await submit({ suite_id: changing, prompt_version_id: id })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/prompt_version_id', message: expect.stringContaining(CITY) as string }] },
    });
  });

  it('of a gate takes the texts of a version instead of those of its baseline', async () => {
    const before = await create();
    const after = await create({ components: { [CITY]: 'A city.' }, tags: ['after'] });
    const { eval_id } = (await submit({ prompt_version_id: before.id })).body;
    await api.pool.query(`UPDATE run SET status = 'completed', score = 1 WHERE id = $1`, [eval_id]);
    const gate = (await client.post('/api/gates', { name: 'g', suite_id: suiteId, baseline: { eval_id } })).body.id;
    const inputOf = async (config: object) => {
      const { gate_run_id: id } = (await client.post(`/api/gates/${gate}/run`, { config })).body;
      const { rows } = await api.pool.query<{ input: string }>('SELECT input FROM orchestration WHERE id = $1', [id]);
      return (JSON.parse(rows[0]!.input) as { run: { input: object } }).run.input;
    };
    expect(await inputOf({})).toMatchObject({ base_prompt: 'Be brief.', prompt_version_id: before.id });
    expect(await inputOf({ prompt_version_id: 'after' })).toMatchObject({
      base_prompt: null,
      tool_overrides: { [CITY]: 'A city.' },
      prompt_version_id: after.id,
    });
    expect(await client.post(`/api/gates/${gate}/run`, { config: { prompt_version_id: 'nothing' } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/config/prompt_version_id' }] },
    });
  });

  it('is estimated by the tokens of its texts', async () => {
    const estimate = async (more: object): Promise<number> =>
      (await client.post('/api/tool-eval/estimate', { suite_id: suiteId, models: ['sim::a'], ...more })).body
        .prompt_tokens;
    const plain = await estimate({});
    expect(await estimate({ tool_overrides: { [TOOL]: 'Get current weather for a city' } })).toBe(plain);
    expect(await estimate({ tool_overrides: { [TOOL]: 'weather '.repeat(1_000) } })).toBeGreaterThan(plain + 1_500);
    expect(await estimate({ base_prompt: 'weather '.repeat(1_000) })).toBeGreaterThan(plain + 1_500);
  });

  it('can be run again as the best of its experiment, even when its version is deleted', async () => {
    const experiment = (await client.post('/api/experiments', { name: 'prompts', suite_id: suiteId })).body.id;
    const version = await create();
    const { eval_id } = (await submit({ prompt_version_id: version.id, experiment_id: experiment })).body;
    await api.pool.query(`UPDATE run SET status = 'completed', score = 1 WHERE id = $1`, [eval_id]);
    await api.pool.query('UPDATE experiment SET best_run_id = $2 WHERE id = $1', [experiment, eval_id]);
    const again = async () => (await client.post(`/api/experiments/${experiment}/run-best`, {})).body;
    const taken = { base_prompt: 'Be brief.', tool_overrides: { [TOOL]: texts[TOOL] } };
    expect((await again()).config_used).toMatchObject({ ...taken, prompt_version_id: version.id });
    await client.delete(`${VERSIONS}/${version.id}`);
    const submitted = await again();
    expect(submitted.config_used).toMatchObject({ ...taken, prompt_version_id: null });
    expect(await configOf(submitted)).toMatchObject(taken);
  });
});
