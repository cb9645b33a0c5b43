import Fastify, { type FastifyInstance } from 'fastify';
import { connect, type Socket } from 'node:net';
import { until } from '../../../test/until.js';
import { answerInOrder } from './answer-in-order.js';
import { AnswerMemory, boundAnswers } from './answer-memory.js';

const BYTES = 2 ** 20;
let fastify: FastifyInstance;
let socket: Socket;
let begun: string[];
let endFirst: () => void;
beforeEach(async () => {
  begun = [];
  fastify = Fastify();
  answerInOrder(fastify);
  boundAnswers(fastify, new AnswerMemory({ team: BYTES, process: BYTES }));
  const first = new Promise<void>((resolve) => (endFirst = resolve));
  fastify.get<{ Params: { n: string } }>('/:n', async ({ params: { n } }) => {
    begun.push(n);
    if (n === '1') await first;
    return n.repeat(BYTES);
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  socket = connect((fastify.server.address() as { port: number }).port, '127.0.0.1');
  socket.on('error', () => {});
});
afterEach(async () => {
  socket.destroy();
  await fastify.close();
});
const requests = (count: number): string =>
  Array.from({ length: count }, (_, n) => `GET /${n + 1} HTTP/1.1\r\nhost: x\r\n\r\n`).join('');

it('pipelined requests are answered in order, even if each answer takes all memory', async () => {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  socket.write(requests(3));
  await until(async () => begun.length > 0, { what: 'the first request' });
  endFirst();
  await until(async () => text.endsWith('3'.repeat(BYTES)), { what: 'all answers' });
  expect(text.match(/1{9,}|2{9,}|3{9,}/g)?.map(({ length }) => length)).toEqual([BYTES, BYTES, BYTES]);
  expect(begun).toEqual(['1', '2', '3']);
});

it.each([
  ['leaves before its turn', 3, () => socket.destroy()],
  ['sends more than can wait', 200, () => {}],
])('no request is started for a client that %s', async (_what, count, leave) => {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(requests(count));
  await until(async () => begun.length > 0, { what: 'the first request' });
  leave();
  await closed;
  endFirst();
  await fastify.close();
  expect(begun).toEqual(['1']);
});
