import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { until } from '../../test/until.js';
import { LiveConnection, LiveUnavailable } from './live-connection.js';

const http = createServer();
const server = new Server(http);
let [isFull, attempts] = [true, 0];
let url: string;

beforeAll(async () => {
  server.use((_socket, next) => {
    attempts++;
    const problem = { status: 429, code: 'rate_limited', params: { limit: 'sockets' }, retry_after_ms: 50 };
    next(isFull ? Object.assign(new Error('Your session has too many connections.'), { data: problem }) : undefined);
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('a connection too many is reported once, tries again by itself, and ends no session', async () => {
  const connection = new LiveConnection(url);
  const news: string[] = [];
  connection.onTeamEvent(({ name }) => news.push(name));
  try {
    const watched = connection.watchJob('019aa8a2-5c1e-7000-8000-000000000011', { patienceMs: 20 }).next();
    await expect(watched).rejects.toThrow(LiveUnavailable);
    await until(() => attempts > 2);
    expect(news).toEqual(['disconnected']);
    isFull = false;
    await until(() => news.length > 1);
    expect(news).toEqual(['disconnected', 'connected']);
  } finally {
    connection.close();
  }
});
