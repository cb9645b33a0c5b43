import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Client } from '../../../test/client.js';

let api: SharedApi;
let others: Client;
let server: Server;
let asked = 0;
beforeAll(async () => {
  api = await joinIdleApi();
  others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  server = createServer((request, response) => {
    if (!request.url?.startsWith('/silent')) return void response.end('{"data":[{"id":"a"}]}');
    asked++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await api.client.post('/api/providers', { key: 'silent', base_url: `${url}/silent`, models: [{ id: 'a' }] });
  await others.post('/api/providers', { key: 'own', base_url: `${url}/v1` });
}, 60_000);

it('a team that queries many providers waits for itself, and is refused beyond a few', async () => {
  const silent = Array.from({ length: 13 }, (_, n) =>
    n % 2 ? api.client.post('/api/providers/silent/test') : api.client.get('/api/providers/silent/discover'),
  );
  expect(await Promise.race(silent)).toMatchObject({
    status: 429,
    body: { detail: expect.stringMatching(/is querying 2 providers, and 10 more are queued/) },
  });
  expect(await others.get('/api/providers/own/discover')).toEqual(expect.objectContaining({ status: 200 }));
  expect(asked).toBeLessThanOrEqual(2);
  server.close();
  server.closeAllConnections();
  const statuses = (await Promise.all(silent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
}, 60_000);
