import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let others: Client;
let server: Server;
let url: string;
/** Number of requests to `/silent`, which are never answered. */
let asked = 0;

beforeAll(async () => {
  api = await joinIdleApi();
  others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  server = createServer((request, response) => {
    if (request.url === '/silent') return void asked++;
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const message = text ? JSON.parse(text) : {};
      if (message.id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const result =
        message.method === 'initialize'
          ? {
              protocolVersion: message.params.protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: 'own', version: '1' },
            }
          : { tools: [{ name: 'search', inputSchema: { type: 'object' } }] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 60_000);

it('a team that queries many servers waits for itself, and is refused beyond a few', async () => {
  const silent = Array.from({ length: 7 }, () => api.client.post('/api/mcp/discover', { url: `${url}/silent` }));
  expect(await Promise.race(silent)).toMatchObject({
    status: 429,
    body: { detail: expect.stringMatching(/is querying 2 MCP servers, and 4 more are queued/) },
  });
  await until(() => asked >= 2, { what: 'two servers to be asked' });
  expect(await others.post('/api/mcp/discover', { url })).toMatchObject({
    status: 200,
    body: { server: { name: 'own' }, tools: [{ name: 'search' }] },
  });
  expect(asked).toBe(2);
  server.close();
  server.closeAllConnections();
  const statuses = (await Promise.all(silent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 422)).toHaveLength(6);
}, 60_000);
