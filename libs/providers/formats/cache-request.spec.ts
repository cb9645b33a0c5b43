import type { JsonObject } from '#lib/contracts/json/json';
import type { RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { adaptRequest } from '../learned/adapt-request.js';
import { readRefusal } from '../learned/read-refusal.js';
import { requestShape } from '../learned/request-shape.js';
import { ProviderFailure } from '../failure.js';
import { buildRequest } from '../build-request.js';
import { requestKey } from '../request-key.js';
import { DIALECTS } from './formats.js';

const tools = ['find_order', 'cancel_order'].map((name) => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object', properties: {} } },
})) as unknown as Tool[];

const requestOf = (
  promptCache: RunConfig['prompt_cache'],
  {
    systemPrompt = 'Be brief.' as string | null,
    unsupported = [] as string[],
    own = undefined as string | undefined,
    params = {} as JsonObject,
    offered = tools,
  } = {},
): JsonObject =>
  buildRequest({
    config: { temperature: 0, tool_choice: 'auto', max_tokens: 64, params: {}, prompt_cache: promptCache } as RunConfig,
    suite: { systemPrompt, tools: offered },
    input: {
      ...(own === undefined
        ? { prompt: 'Where is my order?' }
        : {
            messages: [
              { role: 'system', content: own },
              { role: 'user', content: 'Where?' },
            ],
          }),
    } as never,
    expectsNoCall: false,
    target: { name: 'p::m', modelId: 'm', params, systemPrompt: null },
    model: { unsupportedParams: unsupported, defaultParams: {}, learned: {} },
  }).body;

const wire = (kind: keyof typeof DIALECTS, body: JsonObject): JsonObject => DIALECTS[kind].toWire(body).wire;

it('Anthropic is asked to cache the tools and the system prompt for the time set in the run', () => {
  for (const ttl of ['5m', '1h'] as const) {
    const { system, tools: sent } = wire('anthropic', requestOf(ttl));
    const cache_control = { type: 'ephemeral', ttl };
    expect(system).toEqual([{ type: 'text', text: 'Be brief.', cache_control }]);
    expect(sent).toEqual([
      expect.not.objectContaining({ cache_control: expect.anything() }),
      expect.objectContaining({ name: 'cancel_order', cache_control }),
    ]);
  }
});

it('a system message of a single case is not cached, because no other request begins with it', () => {
  expect(wire('anthropic', requestOf('5m', { own: 'You are Ada.' })).system).toEqual([
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '5m' } },
    { type: 'text', text: 'You are Ada.' },
  ]);
  expect(wire('anthropic', requestOf('5m', { systemPrompt: null, own: 'You are Ada.' })).system).toBe('You are Ada.');
  // A text of only blanks cannot be cached.
  expect(wire('anthropic', requestOf('5m', { systemPrompt: ' \n' })).system).toBe(' \n');
});

it("OpenAI's two formats get one key for all requests with the same beginning", () => {
  const keyOf = (kind: 'openai' | 'openai-responses', systemPrompt: string): unknown =>
    wire(kind, requestOf('1h', { systemPrompt })).prompt_cache_key;
  expect(keyOf('openai', 'A')).toMatch(/^toolmark-[0-9a-f]{32}$/);
  expect(keyOf('openai-responses', 'A')).toBe(keyOf('openai', 'A'));
  expect(keyOf('openai', 'B')).not.toBe(keyOf('openai', 'A'));
  const fewer = requestOf('1h', { systemPrompt: 'A', offered: tools.slice(1) });
  expect(wire('openai', fewer).prompt_cache_key).not.toBe(keyOf('openai', 'A'));
});

it('caching is not requested unless a run wants it, and never from Google', () => {
  for (const kind of Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]) {
    expect(wire(kind, requestOf('off'))).toEqual(wire(kind, requestOf(undefined)));
    expect(JSON.stringify(wire(kind, requestOf('off')))).not.toMatch(/cache/);
  }
  expect(wire('google', requestOf('5m'))).toEqual(wire('google', requestOf('off')));
});

it('stored replies are reused whatever the cache settings', () => {
  const keyOf = (body: JsonObject): string =>
    requestKey(
      { providerId: 'p', baseUrl: 'https://api.example.com/v1', kind: 'anthropic', headers: '[]' },
      body,
      0,
    ).toString('hex');
  expect(keyOf(requestOf('1h'))).toBe(keyOf(requestOf('off')));
  expect(keyOf({ ...requestOf('off'), prompt_cache: 'a parameter of a host' })).not.toBe(keyOf(requestOf('off')));
});

it('a host that does not know the setting is asked without it', () => {
  const body = requestOf('5m');
  const refused = (message: string, param?: string): ProviderFailure =>
    new ProviderFailure('bad_request', message, false, undefined, 400, JSON.stringify({ error: { message, param } }));
  for (const [message, kind] of [
    ["Unsupported parameter: 'prompt_cache_key' is not supported with this model.", 'openai'],
    ['property "prompt_cache_key" is unsupported', 'openai'],
    ['tools.1.custom.cache_control: Extra inputs are not permitted', 'anthropic'],
  ] as const) {
    const refusal = readRefusal(refused(message), body, {}, kind);
    expect(refusal).toMatchObject({ setting: 'prompt_cache', way: 'left out' });
    const { body: adapted, adjusted } = adaptRequest(body, { prompt_cache: 'left out' });
    expect(adjusted).toEqual({ prompt_cache: 'left out' });
    expect(JSON.stringify(wire(kind, adapted))).not.toMatch(/cache/);
  }
  expect(requestOf('5m', { unsupported: ['prompt_cache_key'] })).not.toHaveProperty('prompt_cache');
});

it('a model that accepts neither is sent no such parameter, whether from the run or from its params', () => {
  for (const name of ['prompt_cache_key', 'cache_control']) {
    const params = { [name]: 'mine' };
    for (const asked of ['off', '5m'] as const) {
      const sent = requestOf(asked, { params, unsupported: [name] });
      expect([name in sent, 'prompt_cache' in sent]).toEqual([false, false]);
    }
    expect(requestOf('off', { params })).toMatchObject(params);
  }
  expect(wire('openai', requestOf('5m', { params: { prompt_cache_key: 'mine' } })).prompt_cache_key).toBe('mine');
});

it('a cache setting refused for one case is not requested again for other lists of tools', () => {
  const others = requestOf('5m', { offered: tools.slice(1), systemPrompt: 'Be long.' });
  expect(requestShape(others)).toBe(requestShape(requestOf('5m')));
  expect(requestShape(requestOf('1h'))).not.toBe(requestShape(requestOf('5m')));
  expect(requestShape(requestOf('off'))).not.toBe(requestShape(requestOf('5m')));
});
