import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toTools } from './to-tools.js';
import { discoverTools, shortenMessage } from './discover-tools.js';
import { ALL_NETWORKS, PUBLIC_NETWORKS } from '../../test/egress.js';

const running: (() => void)[] = [];
afterAll(() => running.forEach((stop) => stop()));

async function serve(handle: (request: IncomingMessage, response: ServerResponse, body: any) => void): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request
      .on('data', (chunk) => (text += chunk))
      .on('end', () => handle(request, response, text ? JSON.parse(text) : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** An MCP server with `count` tools, in pages of fifty. */
const paged = (count: number, seen: IncomingMessage[] = []) =>
  serve((request, response, message) => {
    seen.push(request);
    const answer = (result: object | null, error?: object): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.method === 'initialize')
      return answer({
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'paged', version: '2' },
        instructions: 'Be brief.',
      });
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method !== 'tools/list') return answer(null, { code: -32601, message: 'Method not found' });
    const from = Number(message.params?.cursor ?? 0);
    const tools = Array.from({ length: Math.min(50, count - from) }, (_, n) => ({
      name: `tool_${from + n}`,
      description: 'd',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    }));
    answer({ tools, ...(from + 50 < count && { nextCursor: String(from + 50) }) });
  });

/** An MCP server that lists these tools. */
const listing = (tools: unknown, capabilities: object = { tools: {} }, nextCursor?: () => unknown) =>
  serve((request, response, message) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const { protocolVersion } = message.params ?? {};
    const result =
      message.method === 'initialize'
        ? { protocolVersion, capabilities, serverInfo: { name: 'odd', version: '1' } }
        : { tools, nextCursor: nextCursor?.() };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });

const ask = (
  url: string,
  { transport = 'auto' as const, headers = {}, timeoutMs = 20_000, egress = ALL_NETWORKS } = {},
) => discoverTools({ url, headers, transport }, { timeoutMs, egress });

describe('an MCP server', () => {
  it('with hundreds of tools is read page by page, with its instructions and annotations', async () => {
    const seen: IncomingMessage[] = [];
    const { server, tools } = await ask(await paged(330, seen), { headers: { 'x-token': 'secret' } });
    expect(server).toMatchObject({
      name: 'paged',
      version: '2',
      transport: 'streamable-http',
      instructions: 'Be brief.',
      protocol_version: expect.any(String),
    });
    expect(tools.map((tool) => tool.name)).toEqual(Array.from({ length: 330 }, (_, n) => `tool_${n}`));
    expect(tools[0]!.annotations).toEqual({ readOnlyHint: true });
    expect(new Set(seen.map(({ headers }) => headers['x-token']))).toEqual(new Set(['secret']));
  });

  it.each<[string, unknown, string, RegExp]>([
    ['no schema', { name: 'odd' }, 'odd', /no "inputSchema"/],
    ['null as its schema', { name: 'odd', inputSchema: null }, 'odd', /no "inputSchema"/],
    ['a text as its schema', { name: 'odd', inputSchema: '{}' }, 'odd', /not an object/],
    ['an empty schema', { name: 'odd', inputSchema: {} }, 'odd', /does not say.*"type": "object"/],
    [
      'nothing but a dialect in its schema',
      { name: 'odd', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
      'odd',
      /does not say.*"type": "object"/,
    ],
    ['a schema of a list', { name: 'odd', inputSchema: { type: 'array' } }, 'odd', /of type "array"/],
    ['null as a type', { name: 'odd', inputSchema: { type: null } }, 'odd', /of type null/],
    ['no name', { inputSchema: { type: 'object' } }, 'tool 2 of the list', /no name/],
    ['a number as its name', { name: 7, inputSchema: { type: 'object' } }, 'tool 2 of the list', /no name/],
    ['no fields at all', null, 'tool 2 of the list', /not an object/],
    [
      'half a surrogate pair in its description',
      { name: 'odd', description: 'a\ud800b', inputSchema: { type: 'object' } },
      'odd',
      /\/description holds half of a surrogate pair/,
    ],
    [
      'half a surrogate pair in its name',
      { name: 'a\ud800b', inputSchema: { type: 'object' } },
      'tool 2 of the list',
      /\/name holds half of a surrogate pair/,
    ],
  ])('leaves out a tool with %s, by name, and keeps the others', async (_what, odd, name, reason) => {
    const good = { name: 'good', inputSchema: { type: 'object' } };
    expect(await ask(await listing([good, odd, { ...good, name: 'last' }]))).toMatchObject({
      tools: [good, { ...good, name: 'last' }],
      leftOut: [{ name, reason: expect.stringMatching(reason) }],
    });
  });

  it('reads a schema without a type as that of an object when it has arguments, and says so', async () => {
    const properties = { a: { type: 'string' } };
    expect(await ask(await listing([{ name: 'typeless', description: 5, inputSchema: { properties } }]))).toMatchObject(
      {
        tools: [{ name: 'typeless', inputSchema: { type: 'object', properties } }],
        leftOut: [],
        warnings: [
          expect.stringMatching(/schema of "typeless" has no "type"/),
          expect.stringMatching(/"description" of "typeless"/),
        ],
      },
    );
  });

  it('takes a list of types with "object" in it for an object', async () => {
    const schema = { type: ['object', 'null'], properties: {} };
    expect(await ask(await listing([{ name: 'listed', inputSchema: schema }]))).toMatchObject({
      tools: [{ name: 'listed', inputSchema: { type: 'object', properties: {} } }],
      leftOut: [],
      warnings: [expect.stringMatching(/schema of "listed" has a list as its "type"/)],
    });
  });

  it('says why a tool is renamed', () => {
    const names = ['search', 'Search', 'a b'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    expect(toTools(names).warnings).toEqual([
      'The tool "Search" is named "Search_2" here: another tool has that name. Names are compared ignoring case.',
      expect.stringMatching(/"a b" is named "a_b" here: names have up to 64 letters/),
    ]);
  });

  it('that lists something other than tools is refused with the fault', async () => {
    for (const list of [await listing({ a: {} }), await listing([], undefined, () => 7)])
      await expect(ask(list)).rejects.toThrow(/"tools" must be a list, and "nextCursor" a string/);
  });

  it('without tools, or without the tools capability, has an empty list', async () => {
    for (const none of [[], null]) expect(await ask(await listing(none))).toMatchObject({ tools: [], leftOut: [] });
    expect(await ask(await listing([], {}))).toMatchObject({ tools: [], leftOut: [] });
  });

  it('that repeats its last page has ended, and one that never stops paging is refused', async () => {
    const page = [{ name: 'same', inputSchema: { type: 'object' } }];
    expect((await ask(await listing(page, undefined, () => 'again'))).tools).toHaveLength(1);
    let pages = 0;
    await expect(ask(await listing(page, undefined, () => String(++pages)))).rejects.toThrow(/endless pages/);
  });

  it.each<[string, (page: number) => unknown, RegExp]>([
    ['bytes', () => [{ name: 'a', description: 'x'.repeat(2 ** 20) }], /answers are larger than 4 MiB together/],
    ['values', () => [{ name: 'a', x: new Array(150_000).fill(1) }], /answers have more than 200000 values together/],
  ])('whose pages have too many %s together is not read further, with a way out', async (_what, pageOf, why) => {
    let pages = 0;
    const url = await serve((request, response, message) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (message.id === undefined) return void response.writeHead(202).end();
      const result =
        message.method === 'initialize'
          ? {
              protocolVersion: message.params.protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: 'large', version: '1' },
            }
          : { tools: pageOf(++pages), nextCursor: String(pages) };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
    const refused = ask(url);
    await expect(refused).rejects.toMatchObject({ status: 422, errors: [{ path: '/url' }] });
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(/paste the list of tools/);
    expect(pages).toBeLessThanOrEqual(5);
  });

  it('that sends endless empty events is not read further', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => void (response.write(': nothing\n\n'.repeat(1000)) ? setImmediate(more) : 0);
      response.on('drain', more);
      more();
    });
    await expect(ask(url)).rejects.toThrow(/more than 20000 lines of events together/);
  });

  it('at a private address is not queried, even by redirect, unless the operator allows it', async () => {
    await expect(ask(await paged(1), { egress: PUBLIC_NETWORKS })).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/private address.*TOOLMARK_ALLOWED_NETWORKS/),
    });
    await expect(ask('http://localhost:9/mcp', { egress: PUBLIC_NETWORKS })).rejects.toThrow(/private address/);
    for (const egress of [PUBLIC_NETWORKS, ALL_NETWORKS]) {
      await expect(ask('http://169.254.169.254/latest', { egress })).rejects.toThrow(/link-local.*whatever is allowed/);
      await expect(ask('http://[::ffff:a9fe:a9fe]/latest', { egress })).rejects.toThrow(
        /link-local.*whatever is allowed/,
      );
    }
  });
});

describe('a URL that is not an MCP server', () => {
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, RegExp]>([
    [
      'answers with a web page',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /does not answer as an MCP server/,
    ],
    [
      'knows no such path',
      (_request, response) => void response.writeHead(404).end('no'),
      /does not answer as an MCP server/,
    ],
    ['wants a token', (_request, response) => void response.writeHead(401).end(), /401: it needs a valid token/],
    ['fails', (_request, response) => void response.writeHead(500).end('oh'), /does not answer as an MCP server/],
    [
      'answers with JSON of another kind',
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello": 1}'),
      /does not answer as an MCP server|within/,
    ],
    [
      'sends elsewhere',
      (_request, response) => void response.writeHead(302, { location: 'http://example.invalid/' }).end(),
      /does not answer as an MCP server/,
    ],
  ])('and %s is recognised and reported', async (_what, handle, message) => {
    await expect(ask(await serve(handle), { timeoutMs: 5000 })).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(message),
      errors: [{ path: '/url' }],
    });
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['a text', (_request, response) => void response.writeHead(404).end('ami-id\nSecretAccessKey wJalrXUtnFEMI')],
    [
      'a text, and 200',
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/plain' }).end('SecretAccessKey wJalrXUtnFEMI'),
    ],
    [
      'invalid JSON with a JSON content type',
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('wJalrXUtnFEMI'),
    ],
    [
      'JSON of another kind',
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"SecretAccessKey":"wJalrXUtnFEMI"}'),
    ],
    [
      'an error of another kind',
      (_request, response) =>
        void response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"wJalrXUtnFEMI"}'),
    ],
    [
      'a web page',
      (_request, response) => void response.writeHead(400, { 'content-type': 'text/html' }).end('<html>wJalrXUtnFEMI'),
    ],
    [
      'events of another kind',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('event: message\ndata: wJalrXUtnFEMI\n\n'),
    ],
  ])('and answers %s from a private address is never quoted', async (_what, handle) => {
    for (const transport of ['auto', 'streamable-http', 'sse']) {
      const error = await ask(await serve(handle), { timeoutMs: 2000, transport: transport as never }).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({
        status: 422,
        message: expect.stringMatching(/does not answer as an MCP server|did not answer as an MCP server|answered 40/),
      });
      expect(JSON.stringify([error!.message, error])).not.toContain('wJalrXUtnFEMI');
    }
  });

  it('and refuses in the words of MCP is quoted, in short', async () => {
    const url = await serve(
      (_request, response, message) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ jsonrpc: '2.0', id: message?.id, error: { code: -32000, message: 'Closed on Sundays' } }),
          ),
    );
    await expect(ask(url)).rejects.toThrow(/does not answer as an MCP server: .*Closed on Sundays/);
  });

  it('and answers with a web page is quoted without markup', () => {
    expect(shortenMessage('Error POSTing to endpoint: <!DOCTYPE html><html>...')).toBe(
      'found a web page; the endpoint is usually /sse or /mcp.',
    );
    expect(shortenMessage('Unexpected content type: text/html')).toMatch(/web page/);
    expect(shortenMessage('x'.repeat(600))).toBe('x'.repeat(500));
  });

  it('and never answers, or never ends, is given up', async () => {
    await expect(ask(await serve(() => {}), { timeoutMs: 300 })).rejects.toThrow(/within 0.3 seconds/);
    const endless = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const drip = setInterval(() => response.write(': still here\n\n'), 20);
      request.socket.on('close', () => clearInterval(drip));
    });
    await expect(ask(endless, { timeoutMs: 300 })).rejects.toThrow(/within 0.3 seconds/);
    await expect(ask(endless.replace('/mcp', '/sse'), { timeoutMs: 300, transport: 'sse' as never })).rejects.toThrow(
      /within 0.3 seconds/,
    );
  });

  it('and sends too much is cut off', async () => {
    const flood = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(2 ** 20, 32), more));
      more();
    });
    await expect(ask(flood)).rejects.toThrow(/larger than 4 MiB/);
  });

  it('and does not exist is reported', async () => {
    await expect(ask('http://127.0.0.1:9/mcp')).rejects.toThrow(/ECONNREFUSED/);
  });
});
