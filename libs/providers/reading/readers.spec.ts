import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChatClient } from '../chat.js';
import { embedTexts } from '../embed.js';
import type { ProviderFailure } from '../failure.js';
import { createGuardedFetch } from '../guarded/guarded-fetch.js';
import { MAX_ERROR_BYTES } from '../guarded/response-limits.js';
import { replyInFailure } from '../formats/stored-reply.js';
import { countValues } from '#lib/contracts/json/count-values';
import { exceededBound, MANY_VALUES } from './count-values.js';
import { SerialisedJson } from './printed-json.js';
import { decodeUtf8, LARGE_RESPONSE_BYTES } from './readers.js';
import { MAX_REPLY_VALUES } from './reading-work.js';
import { ALL_NETWORKS } from '../../../test/egress.js';

const KEY = 'secret-key-0123456789';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const answer = { status: 200, body: '' };
let server: Server;
let baseUrl: string;
const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS });
// Its address counts as public, so that failures quote it.
const quoting = async (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
  const response = await fetch(url, init);
  return new Response(await response.bytes(), { status: response.status, headers: response.headers });
};

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  await close();
  server.closeAllConnections();
  server.close();
});

const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const OPTIONS = { signal: new AbortController().signal, timeoutMs: 20_000 };

const ask = (body: string, status = 200) => {
  Object.assign(answer, { body, status });
  return createChatClient('openai', { baseUrl, apiKey: KEY }, quoting).ask(BODY, OPTIONS);
};
const failureOf = (body: string, status = 200): Promise<ProviderFailure> =>
  ask(body, status).then(
    () => Promise.reject(new Error('It was read.')),
    (failure: ProviderFailure) => failure,
  );
const reply = (message: object, beside = ''): string =>
  `{"choices":[{"finish_reason":"stop","message":${JSON.stringify({ role: 'assistant', ...message })}${beside}}]}`;

it('values are counted outside of strings, up to the bound', () => {
  const text = '{"a,[{":[1,2,{"b":"\\",["}],"c":[]}';
  expect(countValues(bytesOf(text))).toEqual({ values: 8, depth: 3 });
  expect(exceededBound(bytesOf(text), 8)).toBeUndefined();
  expect(exceededBound(bytesOf(text), 7)).toBe('holds more than 7 values');
  expect(exceededBound(bytesOf(`${'['.repeat(200)}${']'.repeat(200)}`), 1000)).toBeUndefined();
  expect(exceededBound(bytesOf('['.repeat(201)), 1000)).toBe('is nested deeper than 200 levels');
});

it('a large reply is read in a thread, masked, with numbers as written, and kept as text', async () => {
  const content = `${'x'.repeat(LARGE_RESPONSE_BYTES)}${KEY}`;
  const { message, body, finishReason } = await ask(reply({ content, n: 1 }, ',"logprobs":1.0'));
  expect(finishReason).toBe('stop');
  expect([message, body]).toEqual([expect.any(SerialisedJson), expect.any(SerialisedJson)]);
  const [said, stored] = [message, body].map((one) => decodeUtf8((one as SerialisedJson).bytes));
  expect((JSON.parse(said!) as { content: string }).content).toBe(content.replace(KEY, '[hidden]'));
  expect(stored).toContain('"logprobs":1.0');
  expect(stored).not.toContain(KEY);
});

it.each([
  ['values', `,"x":[${'1e0,'.repeat(MAX_REPLY_VALUES)}1]`, 'holds more than 1,000,000 values'],
  ['levels', `,"x":${'['.repeat(LARGE_RESPONSE_BYTES)}`, 'is nested deeper than 200 levels'],
])('a reply of too many %s is not parsed or retried, and its beginning is kept', async (_of, beside, why) => {
  const failure = await failureOf(reply({ content: 'Hi' }, beside));
  expect(failure).toMatchObject({ kind: 'bad_response', retryable: false, status: 200 });
  expect(failure.message).toBe(`The answer ${why}; it was not read.`);
  expect(failure.body).toHaveLength(100_000);
  expect(failure.body).toMatch(/^\{"choices":\[\{"finish_reason":"stop"/);
});

it('arguments with too many values are not parsed either', async () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: `[${'1,'.repeat(MAX_REPLY_VALUES)}1]` } };
  expect(await failureOf(reply({ content: null, tool_calls: [call] }))).toMatchObject({
    kind: 'bad_response',
    message: 'The answer holds more than 1,000,000 values; it was not read.',
  });
});

it('a large response that is not a reply fails like a small one', async () => {
  expect(await failureOf('x'.repeat(2 * LARGE_RESPONSE_BYTES))).toMatchObject({
    kind: 'bad_response',
    retryable: true,
    message: expect.stringContaining('answered something that is not JSON: xxx'),
  });
  const beside = `,"x":"${'x'.repeat(LARGE_RESPONSE_BYTES)}"`;
  const refused = `{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}${beside}}`;
  expect(await failureOf(refused)).toMatchObject({ kind: 'rate_limited', retryable: true, status: 429 });
});

it('a smaller reply with many values is also read in a thread, and one with few is not', async () => {
  const beside = (values: number): string => `,"x":[${Array(values).fill('1e0').join()}]`;
  const many = await ask(reply({ content: 'Hi' }, beside(MANY_VALUES)));
  expect(many.body).toBeInstanceOf(SerialisedJson);
  expect(decodeUtf8((many.message as SerialisedJson).bytes)).toBe('{"role":"assistant","content":"Hi"}');
  expect((await ask(reply({ content: 'Hi' }, beside(MANY_VALUES / 2)))).body).not.toBeInstanceOf(SerialisedJson);
});

it('model output quoted in an error of its host is the reply, however much of it is read', async () => {
  const output = 'la '.repeat(20_000);
  const error = { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: output };
  const failure = await failureOf(JSON.stringify({ error }), 400);
  expect(replyInFailure(failure)?.message.content).toBe(output);
});

it('only the first 64 KiB of an error are read, and JSON cut there is quoted as text', async () => {
  const pad = (length: number): string => `{"error":{"message":"No such model.","x":"${'x'.repeat(length)}"}}`;
  expect((await failureOf(pad(MAX_ERROR_BYTES - 100), 404)).message).toContain('answered 404: No such model.');
  const cut = await failureOf(pad(40 * 2 ** 20), 404);
  expect(cut).toMatchObject({ kind: 'bad_request', status: 404 });
  expect(cut.message).toContain('answered 404: something that is not an error of a model API');
  const public404 = new Response(pad(MAX_ERROR_BYTES).slice(0, MAX_ERROR_BYTES), { status: 404 });
  const quoted = createChatClient('openai', { baseUrl, apiKey: KEY }, async () => public404).ask(BODY, OPTIONS);
  await expect(quoted).rejects.toMatchObject({ message: expect.stringContaining('"message":"No such model."') });
});

it('a deeply nested error is quoted as text', async () => {
  const deep = new Response(`{"error":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, { status: 400 });
  const asked = createChatClient('openai', { baseUrl, apiKey: KEY }, async () => deep).ask(BODY, OPTIONS);
  await expect(asked).rejects.toMatchObject({ kind: 'bad_request', status: 400 });
});

it('a large response of an embedding model is read in a thread', async () => {
  const embedding = Array.from({ length: 30_000 }, (_, n) => (n === 0 ? 3 : n === 1 ? 4 : '0.0000000').valueOf());
  const numbers = `[${embedding.join()}]`;
  const embed = (body: string) => {
    Object.assign(answer, { body, status: 200 });
    return embedTexts({ baseUrl, apiKey: KEY }, 'e', ['a'], { fetch: quoting, timeoutMs: 20_000 });
  };
  const { vectors, tokens } = await embed(`{"data":[{"embedding":${numbers}}],"usage":{"total_tokens":7}}`);
  expect([vectors[0]!.length, vectors[0]![0], vectors[0]![1], tokens]).toEqual([
    30_000,
    expect.closeTo(0.6),
    expect.closeTo(0.8),
    7,
  ]);
  await expect(embed(`{"data":[],"x":"${'x'.repeat(LARGE_RESPONSE_BYTES)}"}`)).rejects.toMatchObject({
    kind: 'bad_response',
    message: "The embedding model's answer cannot be used: 0 embeddings for 1 texts.",
  });
});
