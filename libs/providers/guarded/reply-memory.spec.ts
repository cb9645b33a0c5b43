import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#lib/contracts/json/json';
import { ProviderKind } from '#lib/contracts/provider';
import { createChatClient, type ProviderReply } from '../chat.js';
import type { SerialisedJson } from '../reading/printed-json.js';
import { decodeUtf8 } from '../reading/readers.js';
import { createGuardedFetch } from './guarded-fetch.js';
import { ReplyMemoryPool, type ReplyMemory } from './reply-memory.js';
import { ALL_NETWORKS } from '../../../test/egress.js';

const MIB = 2 ** 20;
const BODY: JsonObject = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

let answer: { text: string; isLengthSaid: boolean };
let server: Server;
let guarded: ReturnType<typeof createGuardedFetch>;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { text, isLengthSaid } = answer;
    request.resume().on('end', () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(isLengthSaid && { 'content-length': Buffer.byteLength(text) }),
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  guarded = createGuardedFetch({ egress: ALL_NETWORKS });
});
afterAll(async () => {
  await guarded.close();
  server.closeAllConnections();
  server.close();
});

const ask = (
  replyMemory: ReplyMemory,
  {
    kind = 'openai',
    timeoutMs = 30_000,
    signal = new AbortController().signal,
  }: { kind?: ProviderKind; timeoutMs?: number; signal?: AbortSignal } = {},
) =>
  createChatClient(
    kind,
    { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: null },
    guarded.fetch,
  ).ask(BODY, { signal, timeoutMs, replyMemory });
const large = (bytes: number, isLengthSaid = true): void => {
  answer = {
    text: JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'x'.repeat(bytes) } }] }),
    isLengthSaid,
  };
};

describe.each(ProviderKind.options)('a response in the format of %s', (kind) => {
  const { answer: body } =
    kind === 'openai'
      ? { answer: { choices: [{ message: { role: 'assistant', content: 'Hi' } }] } }
      : (JSON.parse(readFileSync(new URL(`../formats/${kind}/fixture.json`, import.meta.url), 'utf8')) as {
          answer: object;
        });

  it('takes memory when it is large, until its item is settled', async () => {
    const budget = ReplyMemoryPool.of(64);
    const room = budget.forItem('a');
    answer = { text: JSON.stringify(body).padEnd(MIB), isLengthSaid: false };
    await ask(room, { kind });
    expect([room.kept, budget.held]).toEqual([MIB, MIB]);
    room.release();
    expect(budget.held).toBe(0);
  });

  it('takes no memory when it is small', async () => {
    const budget = ReplyMemoryPool.of(64);
    answer = { text: JSON.stringify(body), isLengthSaid: true };
    await ask(budget.forItem('a'), { kind });
    expect(budget.held).toBe(0);
  });
});

const contentOf = ({ message }: ProviderReply): string =>
  (JSON.parse(decodeUtf8((message as SerialisedJson).bytes)) as { content: string }).content;

it('responses of a lane wait for memory, and those of another lane do not', async () => {
  const budget = new ReplyMemoryPool({ process: 16 * MIB, lane: 5 * MIB });
  large(4 * MIB);
  const rooms = ['a', 'a', 'b'].map((lane) => budget.forItem(lane));
  const [first, second, other] = rooms.map((room) => ask(room).then((reply) => contentOf(reply).length));
  expect([await Promise.race([first, second]), await other]).toEqual([4 * MIB, 4 * MIB]);
  expect(rooms.map((room) => room.kept > 0).sort()).toEqual([false, true, true]);
  rooms.find((room) => room.kept > 0)!.release();
  expect(await Promise.all([first, second])).toEqual([4 * MIB, 4 * MIB]);
});

it('a response that waits for memory ends at its timeout, and gives way to the next one', async () => {
  const budget = new ReplyMemoryPool({ process: 20 * MIB, lane: 20 * MIB });
  large(4 * MIB, false);
  const holder = budget.forItem('a');
  expect(holder.reserve()).toBeUndefined();
  await expect(ask(budget.forItem('a'), { timeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' });
  const stop = new AbortController();
  const stopped = ask(budget.forItem('a'), { signal: stop.signal });
  stop.abort(new Error('The run was stopped.'));
  await expect(stopped).rejects.toThrow('The run was stopped.');
  const next = ask(budget.forItem('a'));
  holder.release();
  expect(contentOf(await next)).toHaveLength(4 * MIB);
});

it('a response that is not kept releases its memory', async () => {
  const budget = ReplyMemoryPool.of(64);
  answer = { text: 'no JSON'.padEnd(MIB), isLengthSaid: true };
  await expect(ask(budget.forItem('a'))).rejects.toMatchObject({ kind: 'bad_response' });
  expect(budget.held).toBe(0);
});

it('the rounds of a chain share the memory limit of the largest reply', async () => {
  const budget = ReplyMemoryPool.of(64);
  const room = budget.forItem('a');
  room.keepsAllRounds = true;
  large(6 * MIB);
  await ask(room);
  expect(budget.held).toBe(16 * MIB);
  await ask(room);
  expect(budget.held).toBe(16 * MIB);
  await expect(ask(room)).rejects.toMatchObject({
    kind: 'bad_response',
    message: expect.stringContaining('larger than 16 MiB together'),
  });
  room.release();
  expect(budget.held).toBe(0);
});

it('memory is given in order of request, lanes take turns, and a large response is not overtaken', async () => {
  const budget = new ReplyMemoryPool({ process: 10, lane: 10 });
  const got: string[] = [];
  const wait = (lane: string, bytes: number) =>
    budget.take(lane, bytes)?.granted.then(() => got.push(`${lane}${bytes}`));
  expect(wait('a', 10)).toBeUndefined();
  const waiting = [wait('a', 9), wait('a', 1), wait('b', 8), wait('b', 2)];
  budget.release('a', 10);
  await waiting[0];
  expect(got).toEqual(['a9']);
  budget.release('a', 9);
  await waiting[2];
  expect(got).toEqual(['a9', 'b8', 'a1']);
  budget.release('b', 8);
  await waiting[1];
  await waiting[3];
  expect(got).toEqual(['a9', 'b8', 'a1', 'b2']);
});

it('a large response that arrives too slowly releases its memory', async () => {
  const slow = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(' '.repeat(200_000));
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const impatient = createGuardedFetch({ egress: ALL_NETWORKS, maxArrivalMs: 200 });
  const budget = ReplyMemoryPool.of(64);
  const chat = createChatClient(
    'openai',
    { baseUrl: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/v1`, apiKey: null },
    impatient.fetch,
  );
  const asked = chat.ask(BODY, {
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    replyMemory: budget.forItem('lane'),
  });
  await expect(asked).rejects.toMatchObject({
    kind: 'timeout',
    retryable: false,
    message: expect.stringContaining('did not arrive within 0.2 s'),
  });
  expect(budget.held).toBe(0);
  slow.closeAllConnections();
  slow.close();
  await impatient.close();
});
