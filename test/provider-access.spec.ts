import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#lib/contracts/json/json';
import { ProviderKind } from '#lib/contracts/provider';
import { openAccess } from '#lib/providers/access';
import { createChatClient } from '#lib/providers/chat';
import type { Endpoint } from '#lib/providers/dialects/dialect';
import { embedTexts } from '#lib/providers/embed';
import type { ProviderFailure } from '#lib/providers/failure';
import { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { discoverModels, probeProvider } from '#lib/providers/probe';
import { NO_KEY_REFS } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { createSimulator, type Simulator } from '../apps/simulator/server.js';
import { ALL_NETWORKS } from './egress.js';

const SECRET = 'team-blue "quoted" 0123456789';
const TOKEN = 'token-behind-a-gateway-0123456789';
const BODY: JsonObject = { model: 'perfect-ish', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const sealer = new Sealer(['ab'.repeat(32)]);

let simulator: Simulator;
const guarded = createGuardedFetch({ egress: ALL_NETWORKS });
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await guarded.close();
  await simulator.close();
});

/** An endpoint as a worker opens it, with these headers, which are secret except for x-route. */
const endpointAt = (baseUrl: string, values: Record<string, string>, apiKey: string | null = null): Endpoint =>
  openAccess(
    {
      providerId: 'p',
      teamId: 't',
      baseUrl,
      sealedKey: apiKey && sealer.seal(apiKey, 'p'),
      apiKeyRef: null,
      headers: JSON.stringify(
        Object.keys(values).map((name) => ({ name, kind: name.startsWith('x-route') ? 'routing' : 'secret' })),
      ),
      sealedHeaders: sealer.seal(JSON.stringify(values), 'p headers'),
      sealedClientCertificate: null,
    },
    { sealer, keyRefs: NO_KEY_REFS },
  );
const OPTIONS = { signal: new AbortController().signal, timeoutMs: 5000 };
const chat = (kind: ProviderKind, endpoint: Endpoint) =>
  createChatClient(kind, endpoint, guarded.fetch)
    .ask(BODY, OPTIONS)
    .then(
      ({ body }) => ({ body, message: '' }),
      ({ message, body }: ProviderFailure) => ({ body, message }),
    );
/** Everything that a provider is asked for, by what came of it. */
async function useAll(kind: ProviderKind, endpoint: Endpoint) {
  const target = { ...endpoint, kind, egress: ALL_NETWORKS, modelId: 'perfect-ish' };
  const said = (error: Error): string => error.message;
  return {
    chat: (await chat(kind, endpoint)).message,
    probe: (await probeProvider(target)).error ?? '',
    discover: await discoverModels(target).then(() => '', said),
    ...(kind === 'openai' && {
      embed: await embedTexts(endpoint, 'embeddings', ['a'], { fetch: guarded.fetch, timeoutMs: 5000 }).then(
        () => '',
        said,
      ),
    }),
  };
}

describe.each(ProviderKind.options)('a provider behind a gateway, in the format of %s', (kind) => {
  const base = (demands: string, status = 403): string =>
    `${simulator.url}/gateway/${status}/${demands}${kind.startsWith('openai') ? '/v1' : `/${kind}`}`;
  const keyHeader = { anthropic: 'x-api-key', google: 'x-goog-api-key' }[kind as string] ?? 'authorization';

  it('gets its headers with every request, beside its key', async () => {
    const demands = `X-Team=${encodeURIComponent(SECRET)},${keyHeader}`;
    const used = await useAll(kind, endpointAt(base(demands), { 'X-Team': SECRET }, 'sk-0123456789'));
    expect(new Set(Object.values(used))).toEqual(new Set(['']));
  });

  it('gets a header in place of the key, and no dummy of a key beside it', async () => {
    const demands = `authorization=Bearer%20${TOKEN},!x-api-key,!x-goog-api-key`;
    const used = await useAll(kind, endpointAt(base(demands), { Authorization: `Bearer ${TOKEN}` }));
    expect(new Set(Object.values(used))).toEqual(new Set(['']));
    const keyless = await useAll(kind, endpointAt(base(`x-team,!${keyHeader}`), { 'x-team': 'blue' }));
    expect(new Set(Object.values(keyless))).toEqual(new Set(['']));
  });

  it('names the headers that may be wrong, and never shows their values', async () => {
    const wrong = endpointAt(base('x-team=blue'), { 'X-Team': SECRET, 'X-Other': TOKEN });
    for (const message of Object.values(await useAll(kind, wrong))) {
      expect(message).toMatch(/refused the headers \(403\): .*Check the provider's headers \(X-Team, X-Other\)\.$/s);
      expect(message).toContain('[hidden]');
      expect(message).not.toMatch(/team-blue|quoted|0123456789/);
    }
    const { body } = await chat(kind, wrong);
    expect(body).toContain('[hidden]');
    expect(body).not.toMatch(/team-blue|quoted/);
  });
});

it('what a host repeats of a secret header is masked in replies, whole, in words, and as JSON writes it', async () => {
  const values = {
    cookie: `session=${TOKEN}; theme=dark`,
    authorization: 'Bearer opaque-0123456789',
    'x-team': SECRET,
  };
  const server = createServer((request, response) => {
    const [cookie, bearer] = [request.headers.cookie!, request.headers.authorization!];
    const content = [cookie, cookie.split(/[=;]/)[1], bearer.slice('Bearer '.length), request.headers['x-team']].join();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const { body } = await chat('openai', endpointAt(`http://127.0.0.1:${port}/v1`, values));
  const text = JSON.stringify(body);
  expect(text).toContain('[hidden],[hidden],[hidden],[hidden]');
  for (const secret of [TOKEN, 'opaque', 'team-blue']) expect(text).not.toContain(secret);
  server.closeAllConnections();
  server.close();
});

it('errors do not show short secret values, what Basic encodes, or long routing values', async () => {
  const values = {
    'x-pin': 'p1n!',
    authorization: `Basic ${Buffer.from('gateway:open').toString('base64')}`,
    'x-route': 'team-of-ten',
    'x-route-region': 'eu-1',
  };
  const server = createServer(({ headers }, response) => {
    const given = Buffer.from(headers.authorization!.slice('Basic '.length), 'base64').toString();
    const message = `bad: ${headers['x-pin']} ${given} ${headers['x-route']} ${headers['x-route-region']}`;
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const { message, body } = await chat('openai', endpointAt(`http://127.0.0.1:${port}/v1`, values));
  for (const text of [message, body]) expect(text).toContain('bad: [hidden] [hidden] [hidden] eu-1');
  server.closeAllConnections();
  server.close();
});

it('a secret that is longer than what is shown of an error leaves no part of itself', async () => {
  const long = `${'x'.repeat(3000)}end`;
  const { message, body } = await chat(
    'openai',
    endpointAt(`${simulator.url}/gateway/400/x-team=a/v1`, { 'x-team': long }),
  );
  expect(`${message} ${body}`).toMatch(/does not know the x-team .*\[hidden\]/);
  expect(`${message} ${body}`).not.toContain('xxx');
});
