import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { lockTable } from '../../../test/lock-table.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let client: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await addUnreachableModels(client);
}, 60_000);

const importSuite = (file?: object): Promise<string> => client.importSuite(file);
const submit = (suiteId: string, more: object = {}) =>
  client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });

describe('a suite warns about cases that cannot pass:', () => {
  const tool = {
    type: 'function',
    function: {
      name: 'f',
      description: 'f',
      parameters: { type: 'object', properties: { city: { type: 'string' }, n: { type: 'integer', maximum: 5 } } },
    },
  };
  const misspelt = { name: 'slip', prompt: 'p', expected_tool: 'f', expected_params: { ctiy: 'a' } };
  const fine = { prompt: 'q', expected_tool: 'f', expected_params: { city: 'a', n: 5 } };
  const file = { name: 'Slips', tools: [tool], test_cases: [fine, misspelt] };
  const slip = /^Case 1 \("slip"\), \/expected_params\/ctiy: "f" has no parameter "ctiy"; is "city" meant\?$/;

  it('when it is imported, and in a dry run', async () => {
    for (const query of ['', '?dry_run=true'])
      expect((await client.post(`/api/tool-eval/import${query}`, file)).body.warnings).toEqual([
        expect.stringMatching(slip),
      ]);
    const { body } = await client.post(
      '/api/tool-eval/import?format=csv&name=x',
      'prompt,expected_tool,expected_params,suite\n' +
        `p,f,"{""n"":9}","${JSON.stringify({ name: 'x', tools: [tool] }).replaceAll('"', '""')}"\n`,
      { 'content-type': 'text/csv' },
    );
    expect(body.warnings).toContainEqual('Line 2, /expected_params/n: 9 breaks the schema of "f": must be <= 5.');
  });

  it('when cases are added or replaced, and only for those', async () => {
    const id = await importSuite({ ...file, test_cases: [] });
    const one = await client.post(`/api/tool-suites/${id}/cases`, misspelt);
    expect(one).toMatchObject({
      status: 201,
      body: { position: 0, warnings: [expect.stringMatching(/^The case \("slip"\), \/expected_params\/ctiy: /)] },
    });
    expect((await client.post(`/api/tool-suites/${id}/cases`, { cases: [fine, misspelt] })).body).toMatchObject({
      items: [{}, {}],
      warnings: [expect.stringMatching(slip)],
    });
    expect((await client.post(`/api/tool-suites/${id}/cases`, fine)).body.warnings).toEqual([]);
    const path = `/api/tool-suites/${id}/cases/${one.body.id}`;
    expect((await client.put(path, { ...fine, expected_params: { n: 'five' } })).body.warnings).toEqual([
      'The case, /expected_params/n: "five" breaks the schema of "f": must be of type integer.',
    ]);
    expect((await client.put(path, fine)).body.warnings).toEqual([]);
    expect((await client.get(`/api/tool-suites/${id}`)).body).not.toHaveProperty('warnings');
  });

  it('when a change of its tools breaks cases, naming twenty of them', async () => {
    const id = await importSuite({ ...file, test_cases: Array(25).fill(fine) });
    const other = {
      ...tool,
      function: { ...tool.function, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    };
    const { warnings } = (await client.patch(`/api/tool-suites/${id}`, { tools: [other] })).body;
    expect(warnings).toHaveLength(21);
    expect([warnings[19], warnings[20]]).toEqual([
      expect.stringMatching(/^Case 19, \/expected_params\/n: "f" has no parameter "n"/),
      expect.stringMatching(/^And 5 more/),
    ]);
    expect((await client.put(`/api/tool-suites/${id}`, { name: 'x', tools: [tool] })).body.warnings).toEqual([]);
    expect((await client.patch(`/api/tool-suites/${id}`, { name: 'y' })).body.warnings).toEqual([]);
  });

  it('and names the tools in the shape of another API', async () => {
    const anthropic = { name: 'f', description: 'f', input_schema: tool.function.parameters };
    const made = await client.post('/api/tool-suites', { name: 'x', tools: [anthropic] });
    expect(made).toMatchObject({
      status: 201,
      body: { tools: [tool], warnings: [expect.stringMatching(/^The tool \(f\) came in the shape of Anthropic/)] },
    });
    expect(
      (await client.post(`/api/tool-suites/${made.body.id}/cases`, { ...fine, tools: [anthropic] })).body,
    ).toMatchObject({ tools: [tool], warnings: [expect.stringMatching(/Anthropic/)] });
    expect(
      (await client.post('/api/tool-eval/import', { ...file, tools: [anthropic], test_cases: [fine] })).body.warnings,
    ).toEqual([expect.stringMatching(/Anthropic/)]);
    expect(
      (
        await client.post('/api/tool-eval/import?format=jsonl', {
          text: JSON.stringify(fine),
          tools: { functionDeclarations: [{ name: 'f', parameters: tool.function.parameters }] },
        })
      ).body.warnings,
    ).toContainEqual(expect.stringMatching(/Gemini/));
  });
});

it('saving a suite and estimating a run warn about tools that hosts of the team refuse', async () => {
  const team = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  const provider = (key: string, kind: string, base_url: string) =>
    team.post('/api/providers', { key, kind, base_url, api_key: 'sk-0123456789', models: [{ id: 'm' }] });
  const either = {
    type: 'function',
    function: {
      name: 'either',
      description: 'd',
      parameters: { type: 'object', properties: { x: { type: 'string' } }, anyOf: [{ required: ['x'] }] },
    },
  };
  const file = { name: 's', tools: [either], test_cases: [{ prompt: 'p', expected_tool: 'either' }] };
  expect((await team.post('/api/tool-eval/import', file)).body.warnings).toEqual([]);
  await provider('oai', 'openai', 'https://api.openai.com/v1');
  await provider('claude', 'anthropic', 'https://api.anthropic.com');
  await provider('local', 'openai', 'http://127.0.0.1:9/v1');
  const warnings = [
    expect.stringMatching(/^"either" \(\/anyOf\) is sent to api\.anthropic\.com \("claude"\) without anyOf/),
    expect.stringMatching(/^"either" \(\/anyOf\) cannot be sent to api\.openai\.com \("oai"\) as written/),
  ];
  const { body: checked } = await team.post('/api/tool-eval/import?dry_run=true', file);
  expect(checked.warnings).toEqual(warnings);
  const { body: imported } = await team.post('/api/tool-eval/import', file);
  expect(imported.warnings).toEqual(warnings);
  const { body: made } = await team.post('/api/tool-suites', { name: 's', tools: [either] });
  expect(made.warnings).toEqual(warnings);
  const path = `/api/tool-suites/${made.id}`;
  expect((await team.patch(path, { tools: [either] })).body.warnings).toEqual(warnings);
  const own = { prompt: 'p', expected_tool: 'either', tools: [either] };
  expect((await team.post(`${path}/cases`, own)).body.warnings).toEqual(warnings);

  const estimate = async (models: string[]) =>
    (await team.post('/api/tool-eval/estimate', { suite_id: imported.suite_id, models })).body.warnings;
  expect(await estimate(['local::m'])).toEqual([]);
  expect(await estimate(['oai::m', 'local::m'])).toEqual([
    expect.stringMatching(/cannot be sent to api\.openai\.com \("oai::m"\)/),
  ]);

  const many = Array.from({ length: 174 }, (_, n) => ({
    type: 'function',
    function: { name: `f${n}`, description: 'd' },
  }));
  const few = { prompt: 'p', expected_tool: 'f1', tools: ['f1', 'f2'] };
  const takes128 = [expect.stringMatching(/^174 tools cannot be sent to api\.openai\.com .*it takes 128/)];
  const { body: whole } = await team.post('/api/tool-eval/import', {
    ...file,
    tools: many,
    test_cases: [few, { ...few, prompt: 'q', tools: undefined }],
  });
  expect(whole.warnings).toEqual(takes128);
  expect((await team.post('/api/tool-eval/import', { ...file, tools: many, test_cases: [few] })).body.warnings).toEqual(
    [],
  );
  const tooMany = [...many, ...many, ...many].map((_tool, n) => ({ type: 'function', function: { name: `g${n}` } }));
  expect(await team.post('/api/tool-suites', { name: 's', tools: tooMany })).toMatchObject({ status: 400 });
});

it('a suite with chain fields in cases that are not chains is read, exported, imported, changed and run', async () => {
  const id = await importSuite(weatherSuite(2));
  await api.pool.query(
    `UPDATE suite_case SET body = left(body, -1) || ',"max_rounds":3,"mock_responses":{"get_weather":"ok"}}'
      WHERE suite_id = $1 AND position = 0`,
    [id],
  );
  const { body: suite } = await client.get(`/api/tool-suites/${id}`);
  expect(suite.test_cases[0]).toMatchObject({ max_rounds: 3 });
  expect((await client.patch(`/api/tool-suites/${id}`, { tools: suite.tools })).status).toBe(200);
  expect(
    (
      await client.put(`/api/tool-suites/${id}/cases/${suite.test_cases[1].id}`, {
        prompt: 'p',
        expected_tool: 'get_weather',
      })
    ).status,
  ).toBe(200);
  expect((await submit(id)).status).toBe(202);
  const exported = (await client.get(`/api/tool-suites/${id}/export`)).body;
  const { status, body } = await client.post('/api/tool-eval/import', exported);
  expect({ status, warnings: body.warnings }).toEqual({
    status: 201,
    warnings: ['max_rounds', 'mock_responses'].map((field) =>
      expect.stringMatching(
        `^Case 0.*, /${field}: only applies to chains: set "multi_turn" to true, or leave it out. ` +
          'The case is played as one turn.$',
      ),
    ),
  });
  expect((await client.get(`/api/tool-suites/${body.suite_id}/export`)).body).toEqual(exported);
});

describe('suites', () => {
  it('keep fields that a PUT leaves out, and lose fields set to null', async () => {
    const { id } = (
      await client.post('/api/tool-suites', {
        name: 'a',
        description: 'd',
        system_prompt: 'KEEP ME',
        pass_threshold: 0.7,
        tools: file.tools,
      })
    ).body;
    const put = async (more: object) =>
      (await client.put(`/api/tool-suites/${id}`, { name: 'b', tools: file.tools, ...more })).body;
    expect(await put({ description: 'other' })).toMatchObject({
      name: 'b',
      description: 'other',
      system_prompt: 'KEEP ME',
      pass_threshold: 0.7,
    });
    expect(await put({})).toMatchObject({ description: 'other', system_prompt: 'KEEP ME', pass_threshold: 0.7 });
    expect(await put({ description: null, system_prompt: null, pass_threshold: null })).toMatchObject({
      description: '',
      system_prompt: null,
      pass_threshold: 1,
    });
    expect((await client.put(`/api/tool-suites/${id}`, { name: 'b' })).status).toBe(400);
  });

  const file = {
    name: 'Numbers',
    description: 'd',
    system_prompt: 'Be exact.',
    pass_threshold: 0.5,
    tools: [
      {
        type: 'function',
        function: {
          name: 'f',
          description: 'f',
          parameters: { type: 'object', properties: { n: { type: 'number', default: 1.5 } } },
        },
      },
    ],
    test_cases: [
      {
        name: 'one',
        category: 'c',
        tags: ['t'],
        prompt: 'p',
        expected_tool: ['f'],
        expected_params: { n: 1 },
        scoring_config: { mode: 'numeric_tolerance', epsilon: 0.1 },
      },
      { messages: [{ role: 'user', content: 'hi' }], expected_tool: null },
    ],
  };

  it('survive an export unchanged, with exact numbers', async () => {
    const text = JSON.stringify(file).replace('"n":1}', '"n":5.0,"big":12345678901234567890}').replace('1.5', '1.50');
    const { body } = await client.post('/api/tool-eval/import', text);
    const exported = await fetch(`${api.url}/api/tool-suites/${body.suite_id}/export`, {
      headers: { authorization: `Bearer ${api.client.token}` },
    }).then((answer) => answer.text());
    const sorted = (json: string): string => JSON.stringify(Object.entries(JSON.parse(json)).sort());
    expect(exported).toContain('"expected_params":{"n":5.0,"big":12345678901234567890}');
    expect(exported).toContain('"default":1.50');
    expect(sorted(exported)).toBe(sorted(text));
    const again = await client.post('/api/tool-eval/import', exported);
    expect(again.body.test_cases_created).toBe(2);
  });

  it('get a new version with every change, keep their cases valid, and are pinned by runs', async () => {
    const id = await importSuite();
    const run = await submit(id);
    expect((await client.patch(`/api/tool-suites/${id}`, { system_prompt: 'Now different.' })).body.version).toBe(2);
    const broken = await client.patch(`/api/tool-suites/${id}`, {
      tools: [{ type: 'function', function: { name: 'other' } }],
    });
    expect(broken).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringMatching(/case 0.*would no longer be valid/i) }, expect.anything()] },
    });
    const added = await client.post(`/api/tool-suites/${id}/cases`, { prompt: 'p', expected_tool: 'get_weather' });
    expect(added).toMatchObject({ status: 201, body: { position: 2 } });
    const nothing = await client.post(`/api/tool-suites/${id}/cases`, [
      { prompt: 'p', expected_tool: 'get_weather' },
      { prompt: 'p', expected_tool: 'x' },
    ]);
    expect(nothing).toMatchObject({ status: 422, body: { errors: [{ path: '/1/expected_tool' }] } });
    expect((await client.delete(`/api/tool-suites/${id}/cases/${added.body.id}`)).status).toBe(204);
    expect((await client.get(`/api/tool-suites/${id}`)).body).toMatchObject({ version: 4, test_cases_count: 2 });
    expect((await client.delete(`/api/tool-suites/${id}`)).status).toBe(409);
    expect((await client.get(`/api/tool-eval/history/${run.body.eval_id}`)).body.suite.version).toBe(1);
    expect((await client.delete(`/api/tool-eval/history/${run.body.eval_id}`)).status).toBe(409);
    await client.post('/api/tool-eval/cancel', { job_id: run.body.job_id });
    expect((await client.delete(`/api/tool-suites/${id}`)).status).toBe(204);
    expect((await client.get(`/api/tool-eval/history/${run.body.eval_id}`)).body.suite.name).toBe('Weather');
    expect((await client.delete(`/api/tool-eval/history/${run.body.eval_id}`)).status).toBe(204);
  });

  it('are listed newest first, page by page', async () => {
    for (let i = 0; i < 3; i++) await importSuite();
    const first = await client.get('/api/tool-suites?limit=2');
    const second = await client.get(`/api/tool-suites?limit=2&cursor=${first.body.next_cursor}`);
    const ids = [...first.body.items, ...second.body.items].map((suite: any) => suite.id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(4);
  });

  it('changed concurrently lose no change: each takes the next version and position', async () => {
    const id = await importSuite(weatherSuite(0));
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        client.post(`/api/tool-suites/${id}/cases`, { prompt: `p${n}`, expected_tool: 'get_weather' }),
      ),
    );
    expect(added.map(({ body }) => body.position).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    );
    expect((await client.get(`/api/tool-suites/${id}`)).body).toMatchObject({ version: 13, test_cases_count: 12 });
    const pages = [await client.get(`/api/tool-suites/${id}/cases?limit=7`)];
    pages.push(await client.get(`/api/tool-suites/${id}/cases?limit=7&cursor=${pages[0]!.body.next_cursor}`));
    expect(pages.flatMap(({ body }) => body.items.map((item: any) => item.position))).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    );
    expect(pages[1]!.body.next_cursor).toBeNull();
    const [first, second, third] = pages[0]!.body.items.map((item: any) => item.id);
    const around = async (caseId: string): Promise<any> =>
      (await client.get(`/api/tool-suites/${id}/cases/${caseId}/neighbours`)).body;
    expect(await around(first)).toEqual({ previous_id: null, next_id: second });
    expect(await around(second)).toEqual({ previous_id: first, next_id: third });
    expect((await client.get(`/api/tool-suites/${id}/cases/${id}/neighbours`)).status).toBe(404);
  });

  it('are found by a part of their names, ignoring case, in either list', async () => {
    for (const name of ['Größen 100%', 'GRÖSSEN_x', 'other']) await importSuite({ ...weatherSuite(0), name });
    const found = async (query: string): Promise<string[]> =>
      (await client.get(`/api/tool-suites?${query}`)).body.items.map((suite: any) => suite.name);
    expect(await found('name=gr%C3%B6')).toEqual(['GRÖSSEN_x', 'Größen 100%']);
    expect(await found('name=100%25&lean=true')).toEqual(['Größen 100%']);
    expect(await found('name=n_x')).toEqual(['GRÖSSEN_x']);
    expect(await found('name=nobody')).toEqual([]);
    expect(await client.get('/api/tool-suites?name=%00')).toMatchObject({ status: 422 });
  });

  it('are found by name beyond the first page of two hundred', async () => {
    const oldest = await importSuite({ ...weatherSuite(0), name: 'Office assistant' });
    for (let n = 0; n < 202; n++) await importSuite(weatherSuite(0));
    const list = async (query: string): Promise<any[]> => (await client.get(`/api/tool-suites?${query}`)).body.items;
    expect((await list('lean=true&limit=200')).map(({ id }) => id)).not.toContain(oldest);
    expect(await list('lean=true&limit=20&name=office')).toMatchObject([{ id: oldest, name: 'Office assistant' }]);
  });

  describe('whose cases are searched', () => {
    const call = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
    const cases = [
      { name: 'Ändern', prompt: 'Say "hi"\nto Ann', expected_tool: 'greet', tags: ['polite', 'a\\b'] },
      {
        messages: [{ role: 'user', content: 'Book a room' }],
        expected_calls: [{ tool: 'find_room' }, { tool: 'book_room' }],
        category: 'Travel',
      },
      { prompt: 'Nothing to do', expected_tool: ['greet', 'find_room'], expected_params: { who: 'Zoe' } },
    ];
    let suiteId: string;
    const found = async (text: string, more = ''): Promise<any> => {
      const query = `text=${encodeURIComponent(text)}${more}`;
      const { body } = await client.get(`/api/tool-suites/${suiteId}/cases?${query}`);
      return { ...body, items: body.items.map((one: any) => one.position) };
    };
    beforeAll(async () => {
      const tools = ['greet', 'find_room', 'book_room'].map(call);
      suiteId = await importSuite({ name: 'Searched', tools, test_cases: cases });
    });

    it('are those with the text in a visible field, ignoring case', async () => {
      const texts = ['ändern', 'say "HI"\nto', 'A\\B', 'a room', 'BOOK_', 'travel', 'polite', 'room', 'greet', '%'];
      const places = await Promise.all(texts.map(async (text) => (await found(text)).items));
      expect(places).toEqual([[0], [0], [0], [1], [1], [1], [0], [1, 2], [0, 2], []]);
      // The search does not match field names, nor expected arguments.
      expect((await found('prompt')).items).toEqual([]);
      expect((await found('zoe')).items).toEqual([]);
    });

    it('come in pages that cover all of them', async () => {
      const first = await found('room', '&limit=1');
      expect(first).toEqual({ items: [1], next_cursor: '1' });
      expect(await found('room', '&limit=1&cursor=1')).toEqual({ items: [2], next_cursor: null });
      expect(await found('ann', '&limit=1')).toEqual({ items: [0], next_cursor: null });
    });

    it('by one team delay neither its other requests nor other teams', async () => {
      const { body } = await api.anotherTeam();
      const other = clientOf(api.url, body.token.token);
      const release = await lockTable(api.pool, 'suite_case');
      let refused = 0;
      const asked = Array.from({ length: 40 }, async () => {
        const answer = await client.get(`/api/tool-suites/${suiteId}/cases?text=room`);
        if (answer.status === 429) refused++;
        return answer;
      });
      await until(() => refused > 0, { what: 'the first refusal' });
      expect((await other.get('/api/me')).status).toBe(200);
      expect((await client.get('/api/jobs')).status).toBe(200);
      await release();
      const answers = await Promise.all(asked);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
      const late = answers.find(({ status }) => status === 429)!;
      expect(late.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(late.body.detail).toMatch(/searches of this team are queued/);
      expect((await other.get(`/api/tool-suites/${suiteId}/cases?text=room`)).status).toBe(404);
    });

    it('are scanned 10,000 or 16 MiB at a time', async () => {
      await api.pool.query(
        `INSERT INTO suite_case (id, suite_id, position, category, tags, body)
         SELECT gen_random_uuid(), $1, i, NULL, '{}',
           json_build_object('prompt', 'n' || i || CASE WHEN i > 20000 THEN repeat(' ', 4000000) END)
         FROM generate_series(3, 20010) i`,
        [suiteId],
      );
      const cursors: (string | null)[] = [];
      for (let cursor: string | null = '-1'; cursor !== null; cursors.push(cursor)) {
        const after: string = cursor === '-1' ? '' : `&cursor=${cursor}`;
        cursor = (await found('n20009', after)).next_cursor;
      }
      expect(cursors).toEqual(['9999', '19999', '20005', null]);
      expect((await found('n20009', '&cursor=20005')).items).toEqual([20009]);
    });
  });

  it('accept ten thousand cases in one import, and not one more', async () => {
    const { body } = await client.post('/api/tool-eval/import', weatherSuite(10_000));
    expect(body.test_cases_created).toBe(10_000);
    expect((await submit(body.suite_id, { samples: 100 })).status).toBe(202);
    expect(await client.post('/api/tool-eval/import', weatherSuite(10_001))).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/test_cases' }] },
    });
  });
});

describe('the cases of a suite are listed', () => {
  const file = {
    ...weatherSuite(0),
    test_cases: ['red', 'blue', 'red', null].map((category, n) => ({
      prompt: `Question ${n}`,
      expected_tool: 'get_weather',
      ...(category && { category, tags: [category, 'all'] }),
    })),
  };
  const prompts = async (id: string, query: string): Promise<string[]> =>
    (await client.get(`/api/tool-suites/${id}/cases?${query}`)).body.items.map((one: any) => one.prompt);

  it('by tag, category and text together, with the labels that there are', async () => {
    const id = await importSuite(file);
    expect(await prompts(id, 'tag=red')).toEqual(['Question 0', 'Question 2']);
    expect(await prompts(id, 'category=blue')).toEqual(['Question 1']);
    expect(await prompts(id, 'tag=all&text=question%202')).toEqual(['Question 2']);
    expect(await prompts(id, 'tag=red&category=blue')).toEqual([]);
    expect((await client.get(`/api/tool-suites/${id}/cases?tag=all&limit=2`)).body.next_cursor).toBe('1');
    expect((await client.get(`/api/tool-suites/${id}/case-labels`)).body).toEqual({
      categories: [
        { name: 'red', cases: 2 },
        { name: 'blue', cases: 1 },
      ],
      tags: [
        { name: 'all', cases: 3 },
        { name: 'red', cases: 2 },
        { name: 'blue', cases: 1 },
      ],
    });
    const theirs = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    for (const path of ['case-labels', 'cases?verdicts=true', 'cases?failed=true'])
      expect((await theirs.get(`/api/tool-suites/${id}/${path}`)).status).toBe(404);
  });

  it('with how the models of the newest counted run did, and those alone that failed in it', async () => {
    const id = await importSuite(file);
    expect(await prompts(id, 'failed=true')).toEqual([]);
    const counted = await submit(id);
    const [first] = (await client.get(`/api/tool-suites/${id}/cases`)).body.items;
    const runId = counted.body.eval_id;
    await api.pool.query(
      `INSERT INTO run_figures (run_id, scoring_id, generation, counted_at, facets)
       SELECT id, id, generation, now(), '{}' FROM run WHERE id = $1
       ON CONFLICT (run_id, scoring_id) DO UPDATE SET counted_at = now(), facets = '{}'`,
      [runId],
    );
    await api.pool.query(
      `INSERT INTO case_figures (run_id, scoring_id, position, generation, case_id, prompt, scored, passed, errored,
         overall_sum, differs, all_failed)
       SELECT r.id, r.id, v.position, r.generation, v.case_id, '', ARRAY[2], ARRAY[v.position % 2 + 1], ARRAY[0],
         ARRAY[1.0], false, false
       FROM run r JOIN suite_version_case v ON v.version_id = r.suite_version_id WHERE r.id = $1`,
      [runId],
    );
    // A newer run that is not counted yet says nothing.
    await submit(id);
    await client.post(`/api/tool-suites/${id}/cases`, { prompt: 'New', expected_tool: null });
    const { items } = (await client.get(`/api/tool-suites/${id}/cases?verdicts=true`)).body;
    expect(items.map((one: any) => one.last_run)).toEqual([
      ...[1, 2, 1, 2].map((passed) => ({
        run_id: runId,
        models: [{ target: 'sim::a', passed, scored: 2, errored: 0 }],
      })),
      null,
    ]);
    expect(await prompts(id, 'failed=true')).toEqual(['Question 0', 'Question 2']);
    expect(await prompts(id, 'failed=true&text=question&category=red&limit=1')).toEqual(['Question 0']);
    expect(first).not.toHaveProperty('last_run');
  });
});
