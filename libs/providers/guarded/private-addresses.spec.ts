import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { ProviderKind } from '#lib/contracts/provider';
import { isNeverAllowed, isPrivateAddress } from '#lib/egress/addresses';
import { AddressNotAllowed } from '#lib/egress/policy';
import { createChatClient } from '../chat.js';
import { embedTexts } from '../embed.js';
import type { ProviderFailure } from '../failure.js';
import { createGuardedFetch } from './guarded-fetch.js';
import { readRefusal } from '../learned/read-refusal.js';
import { redactPrivateResponse } from './private-response.js';
import { discoverModels, probeProvider, baseUrlProblem } from '../probe.js';
import { ALL_NETWORKS } from '../../../test/egress.js';

describe('an address that is never allowed', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fe80::1',
    'fe80::1%eth0',
    'febf::9',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd00:42::42',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::1',
    '2001:0:1:2:3:4:5601:5601',
    '64:ff9b::100.100.100.200',
  ])('is %s', (address) => {
    expect([isNeverAllowed(address), isPrivateAddress(address)]).toEqual([true, true]);
  });
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '2002:7f00:1::',
    '64:ff9b::10.1.1.1',
    '::7f00:1',
    'fec0::1',
  ])('is not %s, which is private', (address) => {
    expect([isNeverAllowed(address), isPrivateAddress(address)]).toEqual([false, true]);
  });
  it.each(['8.8.8.8', '2606:4700::1111', '2002:808:808::1', '::ffff:8.8.8.8', '169.253.1.1'])(
    'is not %s, which is public',
    (address) => {
      expect([isNeverAllowed(address), isPrivateAddress(address)]).toEqual([false, false]);
    },
  );

  const URLS = [
    'http://169.254.169.254/latest/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://169.254.169.254./',
    'http://１６９.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
  ];
  it.each(URLS)('is not requested at %s, whatever is allowed', async (url) => {
    const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS });
    await expect(fetch(url)).rejects.toThrow(AddressNotAllowed);
    await expect(fetch(url)).rejects.toThrow(/never go there, whatever is allowed/);
    expect(baseUrlProblem(url, ALL_NETWORKS)).toMatch(/whatever is allowed/);
    await close();
  });

  it.each([
    ['169.254.169.254', 4],
    ['::ffff:169.254.169.254', 6],
    ['fe80::1', 6],
    ['fd00:ec2::254', 6],
  ])('is not requested by a name that resolves to %s', async (address, family) => {
    const resolve = (
      _name: string,
      _options: object,
      callback: (error: null, all: { address: string; family: number }[]) => void,
    ) =>
      callback(null, [
        { address: '203.0.113.5', family: 4 },
        { address, family },
      ]);
    const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS, resolve });
    const error = await fetch('http://metadata.example/').then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toBe(
      `metadata.example is at ${address}, which is a link-local address or a cloud's metadata ` +
        'service. Requests never go there, whatever is allowed.',
    );
    await close();
  });
});

const SECRET = 'wJalrXUtnFEMI';
const answers: Record<string, [status: number, type: string, body: string]> = {
  'a text': [403, 'text/plain', `denied for role ${SECRET}`],
  'a text that calls itself JSON': [400, 'application/json', `token=${SECRET}`],
  'JSON of another kind': [
    500,
    'application/json',
    JSON.stringify({ SecretAccessKey: SECRET, message: SECRET, detail: SECRET }),
  ],
  'an error without a message': [404, 'application/json', JSON.stringify({ error: { secret: SECRET } })],
  'an error with more than its message': [
    401,
    'application/json',
    JSON.stringify({ error: { message: 'no', SecretAccessKey: SECRET, details: [{ secret: SECRET }] }, more: SECRET }),
  ],
  'a web page': [502, 'text/html', `<html>${SECRET}</html>`],
  'a text, and 200': [200, 'text/plain', `role ${SECRET}`],
  'JSON of another kind, and 200': [200, 'application/json', JSON.stringify({ SecretAccessKey: SECRET })],
  'an error of another kind, and 200': [
    200,
    'application/json',
    JSON.stringify({ error: { code: 500, SecretAccessKey: SECRET } }),
  ],
};
let port: number;
const server = createServer((request, response) => {
  const [status, type, body] = answers[decodeURIComponent(/^\/([^/]*)/.exec(request.url!)![1]!)]!;
  request.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
/** Everything of an error that could be shown or stored. */
const whole = (error: Error): object => ({ ...error, message: error.message });
const at = (what: string, host = `127.0.0.1:${port}`): string => `http://${host}/${encodeURIComponent(what)}`;

describe('a response of a private address', () => {
  it.each(Object.keys(answers))('is neither quoted nor stored when it is %s', async (what) => {
    for (const kind of ProviderKind.options) {
      const target = { kind, baseUrl: at(what), apiKey: null, egress: ALL_NETWORKS };
      const probed = await probeProvider({ ...target, modelId: 'm' });
      expect(probed).toEqual({ ok: false, latencyMs: expect.any(Number), error: expect.any(String) });
      const discovered = await discoverModels(target).then((models) => ({ models }), whole);
      const { fetch, close } = createGuardedFetch(target);
      const failure = await createChatClient(kind, target, fetch)
        .ask({ model: 'm', messages: [] }, { signal: AbortSignal.timeout(5000), timeoutMs: 5000 })
        .catch(whole);
      const embedded = await embedTexts(target, 'm', ['x'], { fetch, timeoutMs: 5000 }).catch(whole);
      await close();
      expect(JSON.stringify([kind, probed, discovered, failure, embedded])).not.toContain(SECRET);
    }
  });

  it('is stored for owners when a 2xx has a text or JSON in place of a reply, but not a web page', async () => {
    const key = 'sk-local-0123456789';
    answers['a text with the key, and 200'] = [200, 'text/plain', `${key} ${SECRET} ${'x'.repeat(200_000)}`];
    answers['a web page, and 200'] = [200, 'text/html', `<html>${SECRET}</html>`];
    answers['a web page that calls itself text, and 200'] = [200, 'text/plain', ` <!doctype html>${SECRET}`];
    answers['a file, and 200'] = [200, 'application/octet-stream', SECRET];
    const kept: Record<string, string | undefined> = {};
    for (const what of Object.keys(answers)) {
      const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS });
      const failure = await createChatClient('openai', { baseUrl: at(what), apiKey: key }, fetch)
        .ask({ model: 'm', messages: [] }, { signal: AbortSignal.timeout(5000), timeoutMs: 5000 })
        .catch((error: ProviderFailure) => error);
      await close();
      expect(JSON.stringify(whole(failure as ProviderFailure)) + inspect(failure)).not.toContain(SECRET);
      kept[what] = (failure as ProviderFailure).privateBody;
    }
    const whats = ['a text, and 200', 'JSON of another kind, and 200', 'an error of another kind, and 200'];
    const { 'a text with the key, and 200': long, ...others } = kept;
    expect(JSON.parse(JSON.stringify(others))).toEqual(
      Object.fromEntries(whats.map((what) => [what, answers[what]![2]])),
    );
    expect(long).toHaveLength(100_000);
    expect(long).toMatch(new RegExp(`^\\[hidden\\] ${SECRET}`));
  });

  it('is reported by its status and where to look', async () => {
    const { error } = await probeProvider({
      kind: 'openai',
      baseUrl: at('JSON of another kind'),
      apiKey: null,
      egress: ALL_NETWORKS,
      modelId: 'm',
    });
    expect(error).toMatch(
      /answered 500: .*not shown because it comes from a private address\. Look into that server's own log/,
    );
  });

  it.each<[string, unknown]>([
    ['OpenAI, Anthropic and most local servers', { error: { message: 'model "m" is still loading', type: 'x' } }],
    ['Ollama', { error: 'model "m" is still loading' }],
    ['Google', [{ error: { code: 404, message: 'model "m" is still loading', status: 'NOT_FOUND' } }]],
    ['vLLM', { object: 'error', message: 'model "m" is still loading', code: 404 }],
    ['FastAPI', { detail: [{ type: 'value_error', loc: ['body'], msg: 'model "m" is still loading', input: SECRET }] }],
  ])('is quoted briefly when it is an error in the format of %s', async (who, body) => {
    for (const kind of ProviderKind.options) {
      answers[who] = [404, 'application/json', JSON.stringify(body)];
      const target = { kind, baseUrl: at(who), apiKey: null, egress: ALL_NETWORKS, modelId: 'm' };
      expect((await probeProvider(target)).error).toMatch(/answered 404: .*model \\?"m\\?" is still loading/);
      answers[who] = [
        404,
        'application/json',
        JSON.stringify(body).replace('still', 'still'.padEnd(400, '.') + SECRET),
      ];
      expect((await probeProvider(target)).error).not.toContain(SECRET);
    }
  });

  it('keeps a list of wrong fields without their values, if it is nothing else', () => {
    const redacted = (body: unknown): string =>
      JSON.stringify(redactPrivateResponse(JSON.stringify(body), 'application/json'));
    const wrong = { type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' };
    const detail = Array.from({ length: 30 }, () => ({ ...wrong, input: SECRET, ctx: { SECRET }, url: SECRET }));
    expect(JSON.parse(redacted({ detail }))).toEqual({
      error: { message: expect.stringMatching(/^body\.seed: Extra.{0,300}$/), detail: Array(10).fill(wrong) },
    });
    const long = redacted({ detail: [{ ...wrong, loc: Array(99).fill('x'.repeat(999)), msg: 'x'.repeat(999) }] });
    expect(long.length).toBeLessThan(2000);
    for (const other of [
      { detail, more: SECRET },
      { detail: [...detail, SECRET] },
      { detail: [{ ...wrong, secret: SECRET, msg: SECRET }] },
      { detail: [{ ...wrong, loc: [{}], msg: SECRET }] },
      { detail: SECRET },
      { detail: [] },
      { status: 'failure', message: SECRET, more: SECRET },
      { status: 'failure', message: SECRET },
    ])
      expect(redacted(other)).toMatch(/which is not shown/);
  });

  it("is quoted in the format of Portkey's gateway when one was asked, since others use that format, too", async () => {
    answers.Portkey = [401, 'application/json', JSON.stringify({ status: 'failure', message: 'no such provider' })];
    const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS });
    const ask = async (headers: Record<string, string>) => (await fetch(at('Portkey'), { headers })).text();
    expect(await ask({ 'x-portkey-provider': 'none' })).toContain('no such provider');
    expect(await ask({ 'x-team': 'a' })).toContain('which is not shown');
    await close();
  });

  it.each<[string, number, string, unknown]>([
    ['vLLM', 400, 'tool_choice', { error: { message: '"auto" tool choice requires --enable-auto-tool-choice' } }],
    ['FastAPI', 422, 'seed', { detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra', input: 7 }] }],
    ['Ollama', 400, 'seed', { error: 'option "seed" is not supported' }],
    ['llama.cpp', 400, 'seed', { error: { code: 400, message: 'Unsupported param: seed', type: 'x' } }],
    ['LiteLLM', 400, 'seed', { error: { message: "m does not support parameters: ['seed']", code: '400' } }],
  ])('names at %s the setting that a model refuses', async (who, status, setting, body) => {
    answers[`a refusal of ${who}`] = [status, 'application/json', JSON.stringify(body)];
    const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS });
    const sent = { model: 'm', messages: [], seed: 7, tool_choice: 'auto' };
    const failure = await createChatClient('openai', { baseUrl: at(`a refusal of ${who}`), apiKey: null }, fetch)
      .ask(sent, { signal: AbortSignal.timeout(5000), timeoutMs: 5000 })
      .catch((error: ProviderFailure) => error);
    await close();
    expect(readRefusal(failure as ProviderFailure, sent, {}, 'openai')).toMatchObject({ setting, way: 'left out' });
  });

  it('is recognised by the address of the connection, not by the requested name', async () => {
    const resolve = (
      _name: string,
      _options: object,
      callback: (error: null, all: { address: string; family: number }[]) => void,
    ) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const { fetch, close } = createGuardedFetch({ egress: ALL_NETWORKS, resolve });
    const answer = await fetch(at('a text', `models.example:${port}`));
    expect([answer.status, await answer.text()]).toEqual([403, expect.not.stringContaining(SECRET)]);
    await close();
  });
});
