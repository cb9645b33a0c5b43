import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await client.post('/api/providers', {
    key: 'many',
    base_url: 'http://127.0.0.1:9/v1',
    models: ['perfect', 'careless', 'instant', 'slow', 'flaky'],
  });
  await addUnreachableModels(client);
}, 60_000);

const importSuite = (file?: object): Promise<string> => client.importSuite(file);
const namedOnce = () => importSuite({ ...weatherSuite(1), name: 'Named once' });
const submit = (suiteId: string, more: object = {}) =>
  client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });

const tagged = {
  ...weatherSuite(2),
  test_cases: [
    { prompt: 'p', expected_tool: 'get_weather', tags: ['smoke'], category: 'paris' },
    { prompt: 'q', expected_tool: 'get_weather', tags: ['slow'] },
  ],
};
type Row = [string, () => ReturnType<Client['get']>, number, string | undefined, RegExp];
const chainField = (field: string, value: unknown): Row => [
  `${field} of a case that is not a chain`,
  async () =>
    client.post(`/api/tool-suites/${await importSuite()}/cases`, {
      prompt: 'p',
      expected_tool: 'get_weather',
      [field]: value,
    }),
  422,
  `/${field}`,
  /only applies to chains.*"multi_turn" to true, or leave it out/,
];

describe('bad input is refused with its field, its rule and a way out', () => {
  const tool = (name: string, parameters: object = { type: 'object' }) => ({
    type: 'function',
    function: { name, parameters },
  });
  it.each<Row>([
    [
      'malformed JSON',
      () => client.post('/api/tool-suites', '{"name": '),
      400,
      undefined,
      /not JSON at line 1, column 10/,
    ],
    ['a missing field', () => client.post('/api/tool-suites', { name: 'x' }), 400, '/tools', /./],
    [
      'a field of another type',
      () => client.post('/api/tool-suites', { name: 5, tools: [tool('f')] }),
      400,
      '/name',
      /string/,
    ],
    [
      'an unknown field',
      () => client.post('/api/tool-suites', { name: 'x', tools: [tool('f')], colour: 1 }),
      400,
      '/colour',
      /not a field/,
    ],
    [
      'a field of a function next to it',
      () => client.post('/api/tool-suites', { name: 'x', tools: [{ ...tool('f'), strict: true }] }),
      400,
      '/tools/0/strict',
      /^is not a field of this object/,
    ],
    [
      'a tool name with a blank',
      () => client.post('/api/tool-suites', { name: 'x', tools: [tool('get weather')] }),
      400,
      '/tools/0/function/name',
      /1 to 64/,
    ],
    [
      'a schema that is not a JSON Schema',
      () =>
        client.post('/api/tool-suites', {
          name: 'x',
          tools: [tool('f', { type: 'object', properties: { a: { type: 'strnig' } } })],
        }),
      422,
      '/tools/0/function/parameters',
      /JSON Schema/,
    ],
    [
      'two tools with one name',
      () => client.post('/api/tool-suites', { name: 'x', tools: [tool('f'), tool('F')] }),
      422,
      '/tools/1/function/name',
      /own/,
    ],
    [
      'an expected tool that does not exist',
      () =>
        client.post('/api/tool-eval/import', {
          ...weatherSuite(1),
          test_cases: [{ prompt: 'p', expected_tool: 'weather' }],
        }),
      422,
      '/test_cases/0/expected_tool',
      /No tool "weather" in the suite\. Its tools: get_weather/,
    ],
    [
      'a pattern that does not compile',
      () =>
        client.post('/api/tool-eval/import', {
          ...weatherSuite(1),
          test_cases: [
            { prompt: 'p', expected_tool: 'get_weather', param_scoring: 'regex', expected_params: { city: '(' } },
          ],
        }),
      422,
      '/test_cases/0/expected_params/city',
      /RE2/,
    ],
    [
      'an unknown suite',
      () => submit('01a1fc11-0570-72f9-b84b-b15294fa812e'),
      422,
      '/suite_id',
      /does not exist\. It may have been deleted/,
    ],
    [
      'a suite by its name',
      async () => submit(await namedOnce(), { suite_id: 'Named once' }),
      422,
      '/suite_id',
      /does not exist\. The suite of that name has the id [0-9a-f-]{36}\./,
    ],
    [
      'an ambiguous name',
      async () => submit('Weather', (await importSuite(), await importSuite(), {})),
      422,
      '/suite_id',
      /does not exist\. It may/,
    ],
    [
      'an experiment about a name',
      () => client.post('/api/experiments', { name: 'x', suite_id: 'No such suite' }),
      422,
      '/suite_id',
      /does not exist\. It may/,
    ],
    [
      'an unknown model',
      async () => submit(await importSuite(), { models: ['sim::gpt-x'] }),
      422,
      '/models/0',
      /^No model "gpt-x" at provider "sim"\. Its models: a, b:8b/,
    ],
    [
      'a model at an unknown provider',
      async () => submit(await importSuite(), { models: ['sims::a'] }),
      422,
      '/models/0',
      /^No provider "sims"\. The team's providers: sim, many\./,
    ],
    [
      'one misspelt of many',
      async () => submit(await importSuite(), { models: ['many::instnat'] }),
      422,
      '/models/0',
      /^No model "instnat" at provider "many"\. Nearest of its models, 5 in all: instant,/,
    ],
    [
      'an unknown bare model',
      async () => submit(await importSuite(), { models: ['instnat'] }),
      422,
      '/models/0',
      /^No provider has a model "instnat"\. Nearest of their models, 7 in all: instant,/,
    ],
    [
      'a misspelt provider',
      () => client.get('/api/providers/manny'),
      404,
      undefined,
      /^No provider "manny" in this team\. Its providers: many, sim\./,
    ],
    [
      'an embedding model that does not exist',
      () => client.put('/api/settings/embedding', { provider_key: 'sim', model_id: 'aa' }),
      422,
      undefined,
      /^No model "sim::aa"\. Nearest of the models of the team, 7 in all: sim::a, /,
    ],
    [
      'a budget of dollars for a model without prices',
      async () => submit(await importSuite(), { budget: { max_cost_usd: 5 } }),
      422,
      '/budget/max_cost_usd',
      /has no prices/,
    ],
    [
      'a tag that no case has',
      async () => submit(await importSuite(tagged), { case_filter: { tags: ['smoke', 'smkoe'] } }),
      422,
      '/case_filter/tags/1',
      /No case of the suite has the tag "smkoe"\. Its tags: smoke, slow\./,
    ],
    [
      'a category of no case',
      async () => submit(await importSuite(tagged), { case_filter: { category: 'paries' } }),
      422,
      '/case_filter/category',
      /has the category "paries"\. Its categories: paris\./,
    ],
    [
      'a filter that leaves nothing',
      async () => submit(await importSuite(tagged), { case_filter: { tags: ['slow'], category: 'paris' } }),
      422,
      '/case_filter',
      /no case/,
    ],
    [
      'a case that is scored semantically',
      async () =>
        submit(
          await importSuite({
            ...weatherSuite(1),
            test_cases: [
              { prompt: 'p', expected_tool: 'get_weather', scoring_config: { params: { city: { mode: 'semantic' } } } },
            ],
          }),
        ),
      422,
      '/suite_id',
      /Case 0/,
    ],
    [
      'a target listed twice',
      async () => submit(await importSuite(), { models: ['sim::a', { provider_key: 'sim', model_id: 'a' }] }),
      422,
      '/models/1',
      /listed twice/,
    ],
    [
      'a system prompt for a target that is not in the run',
      async () => submit(await importSuite(), { system_prompt: { 'sim::b:8b': 'x' } }),
      422,
      '/system_prompt',
      /Its targets: sim::a/,
    ],
    [
      'half of a target',
      async () => submit(await importSuite(), { models: [{ provider_key: 'sim' }] }),
      400,
      '/models/0/model_id',
      /missing/,
    ],
    [
      'a union without a match',
      async () => submit(await importSuite(), { system_prompt: 5 }),
      400,
      '/system_prompt',
      /string, object/,
    ],
    [
      'one bad case in a list',
      async () =>
        client.post(`/api/tool-suites/${await importSuite()}/cases`, {
          cases: [
            { prompt: 'p', expected_tool: 'get_weather' },
            { prompt: 5, expected_tool: null },
          ],
        }),
      400,
      '/cases/1/prompt',
      /string/,
    ],
    [
      'a number that is kept as it was written, in the place of an object',
      () =>
        client.post(
          '/api/tool-suites',
          '{"name":"x","tools":[{"type":"function","function":{"name":"f","parameters":5.0}}]}',
        ),
      400,
      '/tools/0/function/parameters',
      /JSON object/,
    ],
    [
      'JSON that is nested too deep',
      () => client.post('/api/tool-suites', `{"name":"x","tools":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
      400,
      undefined,
      /deeper than 200/,
    ],
    [
      'a character that Postgres cannot store',
      () => client.post('/api/tool-suites', { name: 'a\u0000b', tools: [tool('f')] }),
      422,
      '/name',
      /U\+0000.*Remove it/,
    ],
    [
      'the same in the name of a field',
      () =>
        client.post('/api/tool-suites', {
          name: 'a',
          tools: [tool('f', { type: 'object', properties: { 'x\u0000': {} } })],
        }),
      422,
      '/tools/0/function/parameters/properties/x\u0000',
      /name that holds the character U\+0000/,
    ],
    [
      'half a character in a tag',
      () => client.post('/api/tool-eval/import', '{"name":"x","tools":[],"test_cases":[{"tags":["fine","\\ud800"]}]}'),
      422,
      '/test_cases/0/tags/1',
      /surrogate.*Remove it/,
    ],
    [
      'half a character in a case',
      async () =>
        client.post(`/api/tool-suites/${await importSuite()}/cases`, {
          prompt: 'p',
          expected_tool: 'get_weather',
          tags: ['\ud800'],
        }),
      422,
      '/tags/0',
      /surrogate/,
    ],
    [
      'params that cannot be stored: a NUL',
      async () => submit(await importSuite(), { params: { stop: ['x', '\u0000'] } }),
      422,
      '/params/stop/1',
      /U\+0000/,
    ],
    [
      'half a character',
      async () => submit(await importSuite(), { params: { stop: '\ud800' } }),
      422,
      '/params/stop',
      /surrogate/,
    ],
    [
      'params that name another model',
      async () => submit(await importSuite(), { params: { top_p: 0.5, model: 'gpt-most-expensive' } }),
      422,
      '/params/model',
      /^"model" is the run's own.*"models"/,
    ],
    [
      'params of a target that ask for fifty replies',
      async () =>
        submit(await importSuite(), {
          models: ['sim::b:8b', { provider_key: 'sim', model_id: 'a', params: { n: 50 } }],
        }),
      422,
      '/models/1/params/n',
      /"samples"/,
    ],
    [
      'an estimate with other messages',
      async () =>
        client.post('/api/tool-eval/estimate', {
          suite_id: await importSuite(),
          models: ['sim::a'],
          params: { Messages: [] },
        }),
      422,
      '/params/Messages',
      /"Messages".*cases/,
    ],
    [
      'a provider whose defaults hold tools',
      () =>
        client.post('/api/providers', {
          key: 'x',
          base_url: 'https://example.com/v1',
          models: [{ id: 'a' }, { id: 'b', default_params: { tools: [] } }],
        }),
      422,
      '/models/1/default_params/tools',
      /suite/,
    ],
    [
      'one that gets such defaults',
      () => client.patch('/api/providers/sim', { models: [{ id: 'a', default_params: { tool_choice: 'none' } }] }),
      422,
      '/models/0/default_params/tool_choice',
      /"tool_choice"/,
    ],
    [
      'a numeral beyond numeric',
      async () =>
        client.post(
          '/api/tool-eval',
          `{"suite_id":"${await importSuite()}","models":["sim::a"],"params":{"top_p":1e999999}}`,
        ),
      422,
      '/params/top_p',
      /131072 digits.*as a string/,
    ],
    [
      'a NUL in a CSV file',
      () =>
        client.post('/api/tool-eval/import?format=csv', 'prompt,expected_tool\nfirst,f\nsec\u0000ond,f\n', {
          'content-type': 'text/csv',
        }),
      422,
      '/test_cases/1/prompt',
      /U\+0000.*line 3/,
    ],
    [
      'a NUL in a YAML file',
      () =>
        client.post(
          '/api/tool-eval/import?format=yaml',
          'name: x\ntools:\n- type: function\n  function: { name: "f", description: "a\\0b", ' +
            'parameters: { type: object } }\ntest_cases: []\n',
          { 'content-type': 'text/yaml' },
        ),
      422,
      '/tools/0/function/description',
      /U\+0000/,
    ],
    [
      'half a character in a promptfoo file',
      () =>
        client.post(
          '/api/tool-eval/import?format=promptfoo',
          '{"prompts":["a {{b}}"],"tests":[{"vars":{"b":"\\ud800"}}]}',
        ),
      422,
      '/tests/0/vars/b',
      /surrogate/,
    ],
    ['a NUL in the query', () => client.get('/api/tool-suites?cursor=a%00b'), 422, '/cursor', /U\+0000/],
    [
      'a NUL in the query of an import',
      () => client.post('/api/tool-eval/import?name=a%00b', weatherSuite(1)),
      422,
      '/name',
      /U\+0000/,
    ],
    ['a NUL in the path', () => client.get('/api/providers/a%00b'), 422, '/key', /U\+0000/],
    [
      'a token that has already expired',
      () => client.post('/api/tokens', { name: 'x', role: 'viewer', expires_at: '2001-01-01T00:00:00Z' }),
      422,
      '/expires_at',
      /future/,
    ],
    [
      'a job to cancel that does not exist',
      () => client.post('/api/tool-eval/cancel', { job_id: '01a1fc11-0570-72f9-b84b-b15294fa812e' }),
      422,
      '/job_id',
      /exist/,
    ],
    ['a job status that does not exist', () => client.get('/api/jobs?status=done'), 400, '/status/0', /"completed"/],
    [
      'a cursor of no list',
      async () => client.get(`/api/tool-suites/${await importSuite()}/cases?cursor=x`),
      400,
      '/cursor',
      /next_cursor/,
    ],
    ['an empty estimate', () => client.post('/api/tool-eval/estimate', {}), 400, '/suite_id', /missing/],
    [
      'a key with a line break in it',
      () => client.post('/api/providers', { key: 'x', base_url: 'https://example.com/v1', api_key: 'sk-1\nsk-2' }),
      400,
      '/api_key',
      /visible ASCII/,
    ],
    [
      'a base URL with a password',
      () => client.post('/api/providers', { key: 'x', base_url: 'https://u:p@example.com/v1' }),
      422,
      '/base_url',
      /api_key/,
    ],
    [
      'a job by a name',
      () => client.post('/api/tool-eval/cancel', { job_id: 'abc123' }),
      400,
      '/job_id',
      /is not an id.*no job with the id "abc123"/,
    ],
    [
      'an empty prompt',
      async () =>
        client.post(`/api/tool-suites/${await importSuite()}/cases`, { prompt: '', expected_tool: 'get_weather' }),
      400,
      '/prompt',
      /^must not be empty$/,
    ],
    ['no models', async () => submit(await importSuite(), { models: [] }), 400, '/models', /^must not be empty$/],
    [
      'a field that is misspelt',
      async () => submit(await importSuite(), { sampels: 2 }),
      400,
      '/sampels',
      /Did you mean "samples"\?/,
    ],
    [
      'a mode that is misspelt',
      async () => client.post(`/api/tool-suites/${await importSuite()}/cases`, { prompt: 'p', param_scoring: 'fuzy' }),
      400,
      '/param_scoring',
      /"exact".*Did you mean "fuzzy"\?/,
    ],
    ['a limit out of range', () => client.get('/api/tool-suites?limit=201'), 400, '/limit', /200/],
    [
      'the name of a host as kind',
      () => client.post('/api/providers', { key: 'x', kind: 'ollama', base_url: 'http://127.0.0.1:9/v1' }),
      400,
      '/kind',
      /"ollama" speaks "openai"/,
    ],
    [
      'another',
      () => client.post('/api/providers', { key: 'x', kind: 'Google-Gemini', base_url: 'http://127.0.0.1:9/v1' }),
      400,
      '/kind',
      /"Google-Gemini" speaks "google"/,
    ],
    [
      'an unknown kind',
      () => client.post('/api/providers', { key: 'x', kind: 'constructor', base_url: 'http://127.0.0.1:9/v1' }),
      400,
      '/kind',
      /^must be one of "openai", "openai-responses"/,
    ],
    [
      'a query parameter that is misspelt',
      () => client.get('/api/tool-suites?limt=5'),
      400,
      '/limt',
      /Did you mean "limit"\?/,
    ],
    [
      'a filter of results that does not exist',
      () => client.get('/api/jobs?state=running'),
      400,
      '/state',
      /not a field/,
    ],
    [
      'a tool of unknown shape',
      () => client.post('/api/tool-suites', { name: 'x', tools: [{ name: 'f', schema: {} }] }),
      400,
      '/tools/0/function',
      /is missing: a tool is .*input_schema.*functionDeclarations/,
    ],
    ...(['max_rounds', 'optimal_hops'] as const).map((field) => chainField(field, 3)),
    chainField('valid_prerequisites', ['get_weather']),
    chainField('mock_responses', { get_weather: 'ok' }),
    [
      'a base URL with another scheme',
      () => client.post('/api/providers', { key: 'x', base_url: 'file:///etc/passwd' }),
      400,
      '/base_url',
      /https/,
    ],
  ])('%s', async (_what, request, status, path, message) => {
    const answer = await request();
    expect(JSON.stringify(answer.body)).not.toMatch(
      /Invalid (?:input|UUID|option|string)|Too (?:small|big)|expected .*received|Unrecognized/,
    );
    expect(answer.headers.get('content-type')).toMatch(/application\/problem\+json/);
    expect(answer).toMatchObject({ status, body: { status, title: expect.any(String) } });
    if (path === undefined) expect(answer.body.detail).toMatch(message);
    else expect(answer.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  it('an older run with a reserved parameter, at its next submit, estimate and resume; nothing changes', async () => {
    const { pool } = api;
    const suite_id = await importSuite();
    const submitted = (
      await submit(suite_id, { models: [{ provider_key: 'sim', model_id: 'a', params: { seed: 1 } }] })
    ).body;
    await client.post('/api/tool-eval/cancel', { job_id: submitted.job_id });
    const stored = async () =>
      (
        await pool.query(
          `SELECT r.config, r.status, t.params, m.default_params FROM run r JOIN target t ON t.run_id = r.id
            JOIN model m USING (provider_id, model_id) WHERE r.id = $1`,
          [submitted.eval_id],
        )
      ).rows;
    const refused = async (detail: RegExp) => {
      const before = await stored();
      expect(await client.post(`/api/tool-eval/history/${submitted.eval_id}/resume`)).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(detail) },
      });
      expect(await stored()).toEqual(before);
    };

    const setDefaults = (params: object) =>
      pool.query(
        `UPDATE model SET default_params = $2 WHERE model_id = 'a'
           AND provider_id = (SELECT id FROM provider WHERE team_id = $1 AND key = 'sim')`,
        [api.teamId, JSON.stringify(params)],
      );
    await setDefaults({ candidateCount: 3 });
    const byDefault = /default_params of "sim::a" "candidateCount" is the run's own.*"samples".*An owner can remove it/;
    for (const path of ['/api/tool-eval', '/api/tool-eval/estimate']) {
      expect((await client.post(path, { suite_id, models: ['sim::b:8b', 'sim::a'] })).body).toMatchObject({
        status: 422,
        detail: expect.stringMatching(byDefault),
        errors: [{ path: '/models/1' }],
      });
    }
    await refused(byDefault);
    await setDefaults({});
    await pool.query(`UPDATE target SET params = '{"stream": true}' WHERE run_id = $1`, [submitted.eval_id]);
    await refused(/params of the run "stream" is the run's own.*submit a new one/);
    await pool.query(`UPDATE target SET params = '{}' WHERE run_id = $1`, [submitted.eval_id]);
    await pool.query(`UPDATE run SET config = jsonb_set(config::jsonb, '{params}', '{"n": 2}')::text WHERE id = $1`, [
      submitted.eval_id,
    ]);
    await refused(/params of the run "n" is the run's own/);
    await pool.query(`UPDATE run SET config = jsonb_set(config::jsonb, '{params}', '{}')::text WHERE id = $1`, [
      submitted.eval_id,
    ]);
    expect((await client.post(`/api/tool-eval/history/${submitted.eval_id}/resume`)).status).toBe(202);
  });

  it('a body over the limit of its route is refused, and one of exactly that size is accepted', async () => {
    const suite = JSON.stringify({ name: 'x', tools: [tool('f')] });
    expect((await client.post('/api/tool-suites', suite.padEnd(2 * 2 ** 20))).status).toBe(201);
    for (const size of [2 * 2 ** 20 + 1, 40 * 2 ** 20]) {
      expect(await client.post('/api/tool-suites', suite.padEnd(size))).toMatchObject({
        status: 413,
        body: { detail: expect.stringMatching(/larger than 2 MiB/) },
      });
    }
  });

  it('a body with a content type other than JSON', async () => {
    expect(
      await client.post('/api/tool-suites', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }),
    ).toMatchObject({ status: 415, body: { title: 'Unsupported Media Type' } });
  });

  it('a path that is not a URL', async () => {
    expect(await client.get('/api/providers/%zz')).toMatchObject({ status: 400, body: { title: 'Bad Request' } });
  });

  it('and an unknown route', async () => {
    expect(await client.get('/api/nothing')).toMatchObject({ status: 404, body: { title: 'Not Found' } });
  });
});

it('a case that cannot be run yet does not block a run that leaves it out', async () => {
  const suite = weatherSuite(1);
  const file = {
    ...suite,
    test_cases: [
      { ...suite.test_cases[0], category: 'single', expected_params: { mode: 'semantic', multi_turn: true } },
      { prompt: 'p', expected_tool: 'get_weather', multi_turn: true },
    ],
  };
  expect((await submit(await importSuite(file), { case_filter: { category: 'single' } })).status).toBe(202);
});

it('a byte order mark before the JSON is accepted', async () => {
  expect((await client.post('/api/tool-eval/import', `\ufeff${JSON.stringify(weatherSuite(1))}`)).status).toBe(201);
});
