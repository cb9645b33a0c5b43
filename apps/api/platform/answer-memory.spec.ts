import Fastify, { type FastifyInstance } from 'fastify';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { runWithTurn } from '#lib/runtime/held-turn';
import { until } from '../../../test/until.js';
import { AnswerMemory, boundAnswers } from './answer-memory.js';
import type { CallerRequest } from './decorators.js';

const MIB = 2 ** 20;
/** More than the operating system buffers for a client that does not read. */
const BYTES = 16 * MIB;
const TEXT = 'ä'.repeat(BYTES / 2);

let fastify: FastifyInstance;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await fastify.close();
});

/** Number of requests that hold their turn. */
let turns: number;
let asked: number;

async function listen(memory: AnswerMemory): Promise<number> {
  fastify = Fastify({ trustProxy: true });
  [turns, asked] = [0, 0];
  fastify.addHook('preHandler', (_request, _reply, done) => {
    turns++;
    asked++;
    runWithTurn(() => turns--, done);
  });
  fastify.addHook('onRequest', async (request) => {
    const { team: teamId } = request.headers;
    if (teamId) (request as CallerRequest).caller = { teamId } as unknown as CallerRequest['caller'];
  });
  boundAnswers(fastify, memory);
  fastify.get('/large', async () => TEXT);
  fastify.post('/large', async () => TEXT);
  fastify.get('/stream', async (_request, reply) =>
    reply.send(
      Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(MIB);
        })(),
      ),
    ),
  );
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  return (fastify.server.address() as { port: number }).port;
}

/** A client that sends a request, and reads nothing of the answer until it is resumed. */
function ask(port: number, team: string, path = '/large', method = 'GET'): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nteam: ${team}\r\n\r\n`);
  sockets.push(socket);
  return socket;
}
const get = (port: number, team: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/large`, { headers: { team } });

it('answers that a team does not read stay within its memory, and another team is answered', async () => {
  const memory = new AnswerMemory({ process: 64 * MIB, team: 2 * BYTES, waiting: 3 });
  const port = await listen(memory);
  const unread = [1, 2, 3, 4, 5].map(() => ask(port, 'a'));
  await until(async () => memory.held === 2 * BYTES, { what: 'the memory of the team to be full' });
  const other = await get(port, 'b');
  expect(other.headers.get('content-length')).toBe(String(BYTES));
  expect((await other.text()) === TEXT).toBe(true);
  await until(async () => memory.held === 2 * BYTES, { what: 'the answer of the other team to be given back' });
  const refused = await get(port, 'a');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.json()).toMatchObject({ detail: expect.stringMatching(/^3 large answers of your team wait/) });
  for (const socket of unread) socket.destroy();
  await until(async () => memory.held === 0, { what: 'the memory to be given back' });
});

it('clients without a token share the memory of one team, whatever their addresses', async () => {
  const memory = new AnswerMemory({ process: 2 * BYTES, team: BYTES });
  const port = await listen(memory);
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) ask(port, `\r\nx-forwarded-for: ${address}`);
  await until(async () => asked === 3 && turns === 1, { what: 'all but one to wait' });
  expect((await (await get(port, 'a')).text()).length).toBe(BYTES / 2);
  expect(memory.held).toBe(BYTES);
});

it('a waiting answer arrives when others are read, and an answer to a change always arrives', async () => {
  const memory = new AnswerMemory({ process: 64 * MIB, team: BYTES, waiting: 1 });
  const port = await listen(memory);
  const first = ask(port, 'a');
  await until(async () => memory.held === BYTES, { what: 'the first answer' });
  const lengthOf = async (method: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/large`, { method, headers: { team: 'a' } });
    return (await answer.text()).length;
  };
  const waiting = ['GET', 'POST', 'POST'].map(lengthOf);
  first.resume();
  expect(await Promise.all(waiting)).toEqual([BYTES / 2, BYTES / 2, BYTES / 2]);
  await until(async () => memory.held === 0, { what: 'the memory to be given back' });
});

it('requests whose answers wait for memory give their turns back to the team', async () => {
  const memory = new AnswerMemory({ process: 64 * MIB, team: BYTES });
  const port = await listen(memory);
  ask(port, 'a');
  await until(async () => memory.held === BYTES, { what: 'the first answer' });
  expect(turns).toBe(1);
  for (let n = 0; n < 3; n++) ask(port, 'a');
  await until(async () => asked === 4 && turns === 1, { what: 'the turns of those that wait' });
});

it('a client that leaves while its answer waits frees its place', async () => {
  const memory = new AnswerMemory({ process: 64 * MIB, team: BYTES });
  const port = await listen(memory);
  const first = ask(port, 'a');
  await until(async () => memory.held === BYTES, { what: 'the first answer' });
  const second = ask(port, 'a');
  const third = get(port, 'a');
  second.destroy();
  first.destroy();
  expect((await (await third).text()).length).toBe(BYTES / 2);
});

it.each(['/large', '/stream'])('a client that stops reading %s is disconnected by a reset', async (path) => {
  const memory = new AnswerMemory({ stallMs: 120 });
  const port = await listen(memory);
  const socket = ask(port, 'a', path);
  await until(async () => (await connections()) === 1, { what: 'the connection' });
  const ended = new Promise((resolve) => socket.once('error', (error) => resolve((error as { code?: string }).code)));
  await until(async () => (await connections()) === 0, { what: 'the server to disconnect it' });
  socket.resume();
  expect(await ended).toBe('ECONNRESET');
  expect(memory.held).toBe(0);
});

it('teams that read slowly make room when another team finds none', async () => {
  const memory = new AnswerMemory({ process: 2 * BYTES, team: BYTES, crowdedMs: 120 });
  const port = await listen(memory);
  const slow = ['a', 'b'].map((team) => ask(port, team));
  await until(async () => memory.held === 2 * BYTES, { what: 'the memory to be full' });
  expect((await (await get(port, 'c')).text()).length).toBe(BYTES / 2);
  for (const socket of slow) socket.resume();
});

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    fastify.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
