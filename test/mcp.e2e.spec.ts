// A private API, for the last test: it may not connect to private addresses.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { joinIdleApi, startApi, type SharedApi } from './api.js';
import { startMcpServer } from './http-server.js';
import { until } from './processes.js';
import { freePort } from './services.js';
import { installTool } from './tools.js';
import type { Client } from './client.js';

let api: SharedApi;
let client: Client;
const stops: (() => void)[] = [];

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
});
afterAll(() => {
  for (const stop of stops) stop();
});

/** The published reference server of the Model Context Protocol. */
async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const modules = installTool('mcp-server-everything');
  const port = await freePort();
  const child = spawn(
    resolve('node_modules/.bin/node'),
    [
      '--import',
      resolve('scripts/stop-with-parent.mjs'),
      join(modules, '@modelcontextprotocol/server-everything/dist/index.js'),
      transport,
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { PATH: process.env.PATH, PORT: String(port) },
    },
  );
  stops.push(() => child.kill('SIGKILL'));
  await until(() => fetch(`http://127.0.0.1:${port}/`).then(() => true), {
    what: `the MCP server on port ${port} to answer`,
  });
  return `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
}

describe.each(['streamableHttp', 'sse'] as const)('the reference MCP server over %s', (transport) => {
  let url: string;
  beforeAll(async () => {
    url = await startEverything(transport);
  }, 60_000);

  it('is discovered without a configured transport', async () => {
    const { status, body } = await client.post('/api/mcp/discover', { url });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        server: {
          transport: transport === 'sse' ? 'sse' : 'streamable-http',
          name: expect.any(String),
          instructions: expect.any(String),
        },
      },
    });
    expect(body.tools.map((tool: any) => tool.name)).toEqual(expect.arrayContaining(['echo', 'get-sum']));
  });

  it('becomes a suite with a draft for each tool, which no run includes before it is confirmed', async () => {
    const unasked = (await client.post('/api/mcp/import', { url })).body;
    expect(unasked.warnings).toContainEqual(
      expect.stringMatching(
        /^The server has instructions for models \(\d+ characters\), .*they can become the system prompt/,
      ),
    );
    expect((await client.get(`/api/tool-suites/${unasked.suite_id}`)).body.system_prompt).toBeNull();
    const { status, body } = await client.post('/api/mcp/import', {
      url,
      suite_name: 'Everything',
      generate_cases: true,
      use_instructions: true,
    });
    expect(body.warnings).not.toContainEqual(expect.stringMatching(/instructions/));
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { suite_id: expect.any(String), server: { transport: expect.any(String) } },
    });
    const suite = (await client.get(`/api/tool-suites/${body.suite_id}`)).body;
    expect(suite).toMatchObject({
      name: 'Everything',
      system_prompt: body.server.instructions,
      description: expect.stringContaining(url),
    });
    expect(suite.tools).toHaveLength(body.tools_created);
    expect(suite.test_cases).toHaveLength(body.tools_created);
    expect(suite.test_cases.every((input: any) => input.draft === true)).toBe(true);
    await client.post('/api/providers', {
      key: `p-${transport.toLowerCase()}`,
      base_url: 'http://127.0.0.1:9/v1',
      models: [{ id: 'm' }],
    });
    const refused = await client.post('/api/tool-eval', {
      suite_id: body.suite_id,
      models: [`p-${transport.toLowerCase()}::m`],
    });
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/drafts/) } });
    const exported = await fetch(`${api.url}/api/tool-suites/${body.suite_id}/export`, {
      headers: { authorization: `Bearer ${client.token}` },
    }).then((answer) => answer.text());
    expect(await client.post('/api/tool-eval/import?dry_run=true', exported)).toMatchObject({
      status: 200,
      body: { test_cases_created: body.tools_created },
    });
    expect((await client.post(`/api/tool-suites/${body.suite_id}/mcp-sync`)).body).toMatchObject({
      added: [],
      removed: [],
      changed: [],
      applied: false,
      version: 1,
    });
  });
});

describe('an MCP server that changes', () => {
  let url: string;
  let tools: object[];
  let wanted: string | undefined;
  const tool = (name: string, more: object = {}) => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    ...more,
  });

  beforeAll(async () => {
    url = `${await startMcpServer(
      () => tools,
      () => wanted,
    )}?token=secret`;
  });

  it('shows its changes and the affected cases before anything is applied', async () => {
    tools = [
      tool('stays'),
      tool('changes'),
      tool('goes'),
      tool('files/read', { annotations: { readOnlyHint: true }, title: 'Read' }),
    ];
    const { body: made } = await client.post('/api/mcp/import', { url });
    expect(made).toMatchObject({
      tools_created: 4,
      test_cases_created: 0,
      warnings: [expect.stringMatching(/"files\/read" is named "files_read"/)],
    });
    const path = `/api/tool-suites/${made.suite_id}`;
    const suite = (await client.get(path)).body;
    expect(suite).toMatchObject({ name: 'Tools of changing', description: expect.not.stringContaining('secret') });
    expect(suite.tools[3]).toMatchObject({
      function: { name: 'files_read' },
      annotations: { title: 'Read', readOnlyHint: true },
    });
    await client.post(`${path}/cases`, {
      cases: [
        { name: 'one', prompt: 'p', expected_tool: 'goes' },
        { name: 'two', prompt: 'p', expected_calls: [{ tool: 'changes' }, { tool: 'stays' }] },
      ],
    });
    await client.patch(path, { tools: [...suite.tools, { type: 'function', function: { name: 'by_hand' } }] });

    tools = [
      tool('stays'),
      tool('changes', { description: 'revised' }),
      tool('files/read', { annotations: { readOnlyHint: true }, title: 'Read' }),
      tool('comes'),
    ];
    const shown = (await client.post(`${path}/mcp-sync`)).body;
    expect(shown).toMatchObject({
      applied: false,
      version: 3,
      added: [{ name: 'comes' }],
      removed: [{ name: 'goes', cases: [{ name: 'one', position: 0 }] }],
      changed: [
        {
          name: 'changes',
          fields: ['description'],
          cases: [{ name: 'two' }],
          after: { function: { description: 'revised' } },
        },
      ],
    });
    expect((await client.get(path)).body.version).toBe(3);

    expect(await client.post(`${path}/mcp-sync?apply=true`)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/Case 0 \("one"\) would no longer be valid/) },
    });
    expect((await client.post(`${path}/mcp-sync?apply=true&keep_removed=true`)).body).toMatchObject({
      applied: true,
      version: 4,
    });
    const after = (await client.get(path)).body;
    expect(after.tools.map((one: any) => one.function.name)).toEqual([
      'stays',
      'changes',
      'goes',
      'files_read',
      'by_hand',
      'comes',
    ]);
    expect(after.version).toBe(4);
    expect((await client.post(`${path}/mcp-sync?apply=true`)).body).toMatchObject({
      added: [],
      removed: [],
      changed: [],
      version: 4,
    });
  });

  it('with more tools than a suite can hold is imported in part, and the rest is not reported as new', async () => {
    tools = Array.from({ length: 600 }, (_, n) => tool(`t${n}`));
    expect(await client.post('/api/mcp/import', { url })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/tool_names' }] },
    });
    expect(await client.post('/api/mcp/import', { url, tool_names: ['t1', 'x'] })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/no tool "x"/) },
    });
    const { body } = await client.post('/api/mcp/import', { url, tool_names: ['t1', 't7'] });
    expect(body.tools_created).toBe(2);
    expect((await client.post(`/api/tool-suites/${body.suite_id}/mcp-sync`)).body).toMatchObject({
      added: [],
      removed: [],
      changed: [],
    });
  });

  it('with an unusable tool is imported without it, and says so', async () => {
    tools = [tool('fine'), tool('broken', { inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } })];
    const { body } = await client.post('/api/mcp/import', { url });
    expect(body).toMatchObject({
      tools_created: 1,
      warnings: [expect.stringMatching(/"broken" is left out: its schema .*strnig|"broken" is left out/)],
    });
    expect(
      await client.post('/api/mcp/discover', { url: url.replace('http://', 'http://user:secret@') }),
    ).toMatchObject({ status: 400, body: { errors: [{ path: '/url', message: expect.stringMatching(/headers/) }] } });
  });

  it('whose tool loses its schema, or which lists nothing, costs a suite no tool', async () => {
    tools = [tool('good'), tool('odd', { inputSchema: null })];
    const answer = (await client.post('/api/mcp/discover', { url })).body;
    expect(answer).toMatchObject({
      tools: [{ name: 'good' }],
      left_out: [{ name: 'odd', reason: expect.stringMatching(/inputSchema/) }],
      warnings: [expect.stringMatching(/"odd" is left out/)],
    });
    tools = [tool('good'), tool('odd')];
    const { body } = await client.post('/api/mcp/import', { url });
    const sync = `/api/tool-suites/${body.suite_id}/mcp-sync?apply=true`;
    tools = [tool('good'), tool('odd', { inputSchema: null })];
    for (const _time of [1, 2])
      expect((await client.post(sync)).body).toMatchObject({
        removed: [],
        version: 1,
        warnings: [expect.stringMatching(/"odd" is left out/), expect.stringMatching(/keeps its own "odd"/)],
      });
    tools = [];
    expect(await client.post(sync)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/lists no tools now; it had 2/) },
    });
    expect((await client.post('/api/mcp/discover', { url })).body.warnings).toEqual(['The server lists no tools.']);
    tools = [tool('good')];
    expect((await client.post(sync)).body).toMatchObject({ removed: [{ name: 'odd' }], version: 2 });
    tools = [tool('odd', { inputSchema: null })];
    expect(await client.post('/api/mcp/import', { url })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/No tool of the server can be used.*"odd"/) },
    });
  });

  it('that requires a token gets it with each request, keeps none here, and a sync without it says so', async () => {
    tools = [tool('f')];
    wanted = 'Bearer mcp-secret-0123456789';
    const headers = { Authorization: wanted };
    try {
      const { body: made } = await client.post('/api/mcp/import', { url, headers });
      expect(made).toMatchObject({ tools_created: 1 });
      expect(JSON.stringify((await api.pool.query('SELECT * FROM mcp_source')).rows)).not.toContain('mcp-secret');
      tools = [tool('f'), tool('g')];
      const sync = `/api/tool-suites/${made.suite_id}/mcp-sync`;
      for (const input of [undefined, {}, { headers: { Authorization: 'Bearer other' } }, { transport: 'sse' }]) {
        expect(await client.post(`${sync}?apply=true`, input)).toMatchObject({
          status: 422,
          body: {
            detail: expect.stringMatching(
              /answered 401: it needs a valid token.*"headers" with each request.*not kept/,
            ),
          },
        });
      }
      expect((await client.post(sync, { headers })).body).toMatchObject({ applied: false, added: [{ name: 'g' }] });
      expect((await client.post(`${sync}?apply=true`, { headers })).body).toMatchObject({ applied: true, version: 2 });
    } finally {
      wanted = undefined;
    }
  });

  it('does not get requests again for discovered tools', async () => {
    tools = [tool('f'), tool('g')];
    const found = (await client.post('/api/mcp/discover', { url })).body.tools;
    const { body } = await client.post('/api/mcp/import', { tools: found, suite_name: 'Given', generate_cases: true });
    expect(body).toMatchObject({ tools_created: 2, test_cases_created: 2, server: null });
    expect(await client.post(`/api/tool-suites/${body.suite_id}/mcp-sync`)).toMatchObject({ status: 409 });
    expect((await client.post(`/api/tool-suites/${body.suite_id}/mcp-sync`, { url })).body).toMatchObject({
      added: [],
      removed: [],
      changed: [],
    });
    expect(await client.post('/api/mcp/import', {})).toMatchObject({ status: 422 });
    expect(await client.post('/api/mcp/import', { url, headers: { Host: 'x' } })).toMatchObject({ status: 400 });
  });
});

it('private addresses are refused unless the operator allows them', async () => {
  const strict = await startApi({ TOOLMARK_ALLOWED_NETWORKS: '' });
  try {
    expect(await strict.client.post('/api/mcp/discover', { url: 'http://127.0.0.1:9/mcp' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/private address/) },
    });
  } finally {
    await strict.close();
  }
});
