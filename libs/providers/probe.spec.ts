import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { discoverModels, probeProvider } from './probe.js';
import { ALL_NETWORKS } from '../../test/egress.js';

let server: Server;
let answer: { status: number; body: string };
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const target = () => ({
  kind: 'openai' as const,
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  apiKey: null,
  egress: ALL_NETWORKS,
});
const models = (ids: readonly string[]): string => JSON.stringify({ data: ids.map((id) => ({ id })) });
const range = (count: number): string[] => Array.from({ length: count }, (_, n) => `m${n}`);

describe('a list of models', () => {
  it('keeps valid ids, and drops longer ones', async () => {
    answer = { status: 200, body: models(['a', 'x'.repeat(201), 'b']) };
    expect(await discoverModels(target())).toEqual(['a', 'b']);
    answer = { status: 200, body: models(range(10_000)) };
    expect(await discoverModels(target())).toHaveLength(10_000);
  });

  it.each<[string, () => string, RegExp]>([
    ['bytes', () => ' '.repeat(2 * 2 ** 20) + models(['a']), /larger than 2 MiB/],
    ['values', () => `{"data":[{"id":"a"}],"x":[${'1e0,'.repeat(100_000)}1]}`, /more than 100000 values/],
    ['models', () => models(range(10_001)), /has 10001 models, and 10000 can be listed/],
  ])('with too many %s is refused', async (_what, body, why) => {
    answer = { status: 200, body: body() };
    await expect(discoverModels(target())).rejects.toThrow(why);
  });

  it('that is a large error is quoted briefly', async () => {
    answer = { status: 500, body: JSON.stringify({ error: { message: 'x'.repeat(2 ** 22) } }) };
    await expect(discoverModels(target())).rejects.toThrow(/^.{20,600}$/s);
  });
});

describe('the reply to a provider test', () => {
  const reply = (content: string, beside = ''): string =>
    `{"choices":[{"message":{"role":"assistant","content":"${content}"}}]${beside}}`;

  it('may be as long as the thoughts of a model', async () => {
    answer = { status: 200, body: reply('x'.repeat(900_000)) };
    expect(await probeProvider({ ...target(), modelId: 'm' })).toMatchObject({ ok: true, error: null });
  });

  it.each<[string, number, () => string, RegExp]>([
    ['bytes', 200, () => reply('x'.repeat(2 ** 20)), /larger than 1 MiB/],
    ['values', 200, () => reply('ready', `,"x":[${'1e0,'.repeat(10_000)}1]`), /more than 10000 values/],
  ])('with too many %s is not read', async (_what, status, body, why) => {
    answer = { status, body: body() };
    expect(await probeProvider({ ...target(), modelId: 'm' })).toMatchObject({
      ok: false,
      error: expect.stringMatching(why),
    });
  });
});
