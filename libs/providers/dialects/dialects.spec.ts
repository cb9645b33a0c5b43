import { readFileSync } from 'node:fs';
import { parseJson, type JsonObject } from '#lib/contracts/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { createChatClient, replyIn } from '../chat.js';
import { ProviderFailure } from '../failure.js';

const fixture = (kind: string): any => parseJson(readFileSync(new URL(`fixtures/${kind}.json`, import.meta.url), 'utf8'));

const CONVERSATION = parseJson(`{
  "model": "claude-x", "temperature": 0, "max_tokens": 1024, "tool_choice": "required",
  "tools": [{"type": "function", "function": {"name": "get_weather", "description": "Get the weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "number", "default": 1.0}}, "required": ["city"]}}}],
  "messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Paris and Rome?"},
    {"role": "assistant", "content": "I will look.", "tool_calls": [
      {"id": "toolu_1", "type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\", \\"days\\": 5.0}"}},
      {"id": "toolu_2", "type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Rome\\"}"}}]},
    {"role": "tool", "tool_call_id": "toolu_1", "content": "{\\"sky\\":\\"clear\\"}"},
    {"role": "tool", "tool_call_id": "toolu_2", "content": "rain"},
    {"role": "user", "content": "And now Oslo."}]
}`) as JsonObject;
const SIMPLE: JsonObject = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: any;
  text: string;
}

/** Asks through the real SDK, which gets `answer` whatever it sends. */
async function ask(kind: ProviderKind, body: JsonObject, answer: { status?: number; headers?: Record<string, string>; body: unknown }, baseUrl = 'https://api.example.com/v1') {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    sent.push({ url: String(url), headers: Object.fromEntries(new Headers(init.headers)), text: String(init.body), body: parseJson(String(init.body)) });
    return new Response(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body), { status: answer.status ?? 200, headers: { 'content-type': 'application/json', ...answer.headers } });
  };
  const outcome = await createChatClient(kind, { baseUrl, apiKey: 'secret-key-0123456789' }, fetch)
    .ask(body, { signal: new AbortController().signal, timeoutMs: 5000 })
    .then((reply) => ({ reply, failure: undefined as never }), (failure: ProviderFailure) => ({ failure, reply: undefined as never }));
  expect(sent).toHaveLength(1);
  return { ...outcome, sent: sent[0]! };
}

const callsOf = (message: JsonObject) => (message.tool_calls as any[]).map((call) => [call.id, call.function.name, call.function.arguments]);

describe('Anthropic', () => {
  const { request, answer, error } = fixture('anthropic');

  it('gets a conversation in its own format, numbers as they were written', async () => {
    const { sent, reply } = await ask('anthropic', CONVERSATION, { body: answer });
    expect(sent.url).toBe('https://api.example.com/v1/messages');
    expect(sent.headers['x-api-key']).toBe('secret-key-0123456789');
    expect(JSON.parse(sent.text)).toEqual(JSON.parse(JSON.stringify(request)));
    expect(sent.text).toContain('"days":5.0');
    expect(sent.text).toContain('"default":1.0');
    expect(sent.headers).not.toHaveProperty('authorization');
    expect(reply.notes).toEqual([{ what: 'temperature', message: expect.stringMatching(/has no "temperature"/) }]);
  });

  it('gets a temperature in the version that has one', async () => {
    const { sent, reply } = await ask('anthropic', { ...SIMPLE, temperature: 1.5, top_k: 5, anthropic_version: '2023-06-01' }, { body: answer });
    expect(sent.body).toMatchObject({ temperature: 1, top_k: 5 });
    expect(sent.body).not.toHaveProperty('anthropic_version');
    expect(sent.headers['anthropic-version']).toBe('2023-06-01');
    expect(reply.notes).toEqual([{ what: 'temperature', message: expect.stringMatching(/at most 1/) }]);
  });

  it('is read as an OpenAI message, numbers as they were written', async () => {
    const { reply } = await ask('anthropic', CONVERSATION, { body: answer });
    expect(reply).toMatchObject({ finishReason: 'tool_calls', promptTokens: 412, completionTokens: 89, message: { role: 'assistant', content: 'Oslo, twice.' } });
    expect(callsOf(reply.message)).toEqual([['toolu_3', 'get_weather', '{"city":"Oslo","days":2.0,"station":12345678901234567890}'], ['toolu_4', 'get_weather', '{}']]);
    expect(replyIn(reply.body)?.message).toEqual(reply.message);
  });

  it('has errors of the same kinds as others', async () => {
    const { failure } = await ask('anthropic', SIMPLE, error);
    expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7000, status: 429, message: expect.stringMatching(/answered 429: This request would exceed/) });
    expect((await ask('anthropic', SIMPLE, { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key secret-key-0123456789' } } })).failure).toMatchObject({
      kind: 'auth', message: expect.stringMatching(/invalid x-api-key \[hidden\]/),
    });
    expect((await ask('anthropic', SIMPLE, { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } })).failure).toMatchObject({ kind: 'provider_5xx', retryable: true });
    expect((await ask('anthropic', SIMPLE, { body: { choices: [] } })).failure).toMatchObject({ kind: 'bad_response' });
    expect((await ask('anthropic', SIMPLE, { body: '<!doctype html>' })).failure).toMatchObject({ kind: 'bad_response', retryable: false });
  });

  it('is told what it cannot do otherwise, and that is noted', async () => {
    const { sent, reply } = await ask('anthropic', {
      ...SIMPLE, temperature: 0, seed: 7, n: 1, frequency_penalty: 0, stop: 'END', user: 'u', thinking: { type: 'adaptive' },
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, { type: 'input_audio', input_audio: {} }] }, { role: 'developer', content: 'Late.' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a:b', type: 'function', function: { name: 'f', arguments: 'not JSON' } }] }, { role: 'tool', tool_call_id: 'a:b', content: 'x' }],
    }, { body: answer });
    expect(reply.notes.map(({ what }) => what).sort()).toEqual(['call-arguments', 'late-system', 'part', 'seed', 'temperature']);
    expect(sent.body).toMatchObject({
      stop_sequences: ['END'], metadata: { user_id: 'u' }, thinking: { type: 'adaptive' }, system: 'Late.',
      messages: [{ content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] }, { content: [{ type: 'tool_use', id: 'a_b', input: {} }] }, { content: [{ tool_use_id: 'a_b' }] }],
    });
    for (const name of ['seed', 'n', 'frequency_penalty', 'temperature']) expect(sent.body).not.toHaveProperty(name);
  });

  it.each([['auto', false, { type: 'auto', disable_parallel_tool_use: true }], ['none', true, { type: 'none' }], [{ type: 'function', function: { name: 'get_weather' } }, true, { type: 'tool', name: 'get_weather' }]])(
    'tool_choice %j', async (choice, parallel, wanted) => {
      const { sent } = await ask('anthropic', { ...CONVERSATION, tool_choice: choice as never, parallel_tool_calls: parallel }, { body: answer });
      expect(sent.body.tool_choice).toEqual(wanted);
    });

  it('gets its signed thoughts back', async () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const { reply } = await ask('anthropic', SIMPLE, { body: { ...answer, content: [thought, ...answer.content] } });
    const { sent } = await ask('anthropic', { ...SIMPLE, messages: [...(SIMPLE.messages as []), reply.message] }, { body: answer });
    expect(sent.body.messages[1].content[0]).toEqual(thought);
  });

  it.each([['refusal', 'content_filter'], ['max_tokens', 'length'], ['end_turn', 'stop']])('stop_reason %s is finish_reason %s', async (stop_reason, finishReason) => {
    expect((await ask('anthropic', SIMPLE, { body: { ...answer, content: [], stop_reason } })).reply).toMatchObject({ finishReason, message: { content: null } });
  });
});
