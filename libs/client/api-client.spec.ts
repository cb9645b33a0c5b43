import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from './api-client.js';

let server: Server;
let client: ApiClient;
const asked: string[] = [];
beforeAll(async () => {
  server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    const done = url!.includes('wait=20');
    const place = url!.startsWith('/stray') ? 'http://127.0.0.1:9/' : `${url}?wait=20`;
    response.writeHead(done ? 200 : 202, { 'content-type': 'application/json', ...(!done && { location: place }) });
    response.end(JSON.stringify(done ? { all: 1 } : { status: 'comparing' }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterAll(() => server.close());

it('polls an unfinished answer at the URL that the server names', async () => {
  expect(await client.call('GET', '/api/compare')).toEqual({ all: 1 });
  expect(asked.splice(0)).toEqual(['GET /api/compare', 'GET /api/compare?wait=20']);
});

it('follows no other server, and repeats no change', async () => {
  expect(await client.call('GET', '/stray')).toEqual({ status: 'comparing' });
  expect(await client.call('POST', '/api/runs', {})).toEqual({ status: 'comparing' });
  expect(asked.splice(0)).toEqual(['GET /stray', 'POST /api/runs']);
});
