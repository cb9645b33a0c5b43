import fastify, { type FastifyInstance } from 'fastify';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { addBodyParsers } from './body-parsers.js';
import { BytesInHand, bytesInHand } from './bytes-in-hand.js';
import { sendProblem, toProblem } from './problem.filter.js';

let server: FastifyInstance;
afterEach(() => server.close());

/** A server with these time limits for bodies. */
async function listen(
  jsonBounds: { totalMs: number; idleMs: number },
  inHand = new BytesInHand(bytesInHand(192)),
): Promise<void> {
  server = fastify();
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));
  addBodyParsers(server, { inHand, jsonBounds });
  server.post('/', async ({ body }) => ({ body }));
  await server.listen({ port: 0, host: '127.0.0.1' });
}

/** Sends a head, and a part of the body; reads until the connection ends. */
function post(part: string, length: number): { socket: Socket; answer: Promise<string> } {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(
    `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${part}`,
  );
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (data) => (text += String(data)));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

describe('a body of JSON', () => {
  it('that stops arriving is answered, and its connection closed', async () => {
    await listen({ totalMs: 60_000, idleMs: 20 });
    const answer = await post('{"a":', 100).answer;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toMatch(/0\.02 s between two chunks\. Nothing was stored/);
  });

  it('that trickles in ends when its time is over', async () => {
    await listen({ totalMs: 60, idleMs: 60_000 });
    const { socket, answer } = post('[', 1000);
    const dripping = setInterval(() => socket.write(' '), 5);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(dripping);
  });

  it('is counted before it is read, until it is answered, broken off or refused', async () => {
    const inHand = new BytesInHand({ ofTeam: 100, ofAll: 100, ofLarge: 100, waitMs: 60_000 });
    await listen({ totalMs: 60_000, idleMs: 60_000 }, inHand);
    const stalled = post('[', 60);
    const waits = post(`[${' '.repeat(58)}]`, 60);
    const small = await fetch(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[1]',
    });
    expect([small.status, await small.json()]).toEqual([200, { body: [1] }]);
    stalled.socket.destroy();
    await new Promise((resolve) => waits.socket.once('data', resolve));
    waits.socket.destroy();
    expect(await waits.answer).toMatch(/^HTTP\/1\.1 200 /);
    const wrong = post('x'.repeat(100), 100);
    expect(await wrong.answer).toMatch(/^HTTP\/1\.1 400 /);
    (await inHand.take('', 100))();
  });
});
