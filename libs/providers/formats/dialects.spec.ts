import { readFileSync } from 'node:fs';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { findReservedParams } from '#lib/contracts/params';
import { ProviderKind } from '#lib/contracts/provider';
import { createChatClient, type ProviderReply } from '../chat.js';
import { isHostFailure } from '../replies/host-failure.js';
import { readBody } from './read-body.js';
import type { ProviderFailure } from '../failure.js';
import { ResponseTooLarge } from '../guarded/response-limits.js';
import fc from '../../../test/fast-check.js';
import { suiteNamesByWireName } from './formats.js';

/** The reply in a stored body. */
function readStored(body: Json) {
  const read = readBody(body);
  return read && !isHostFailure(read) ? read : undefined;
}

const fixture = (kind: string, name = 'fixture'): any =>
  parseJson(readFileSync(new URL(`${kind}/${name}.json`, import.meta.url), 'utf8'));

const CONVERSATION = parseJson(`{
  "model": "some-model", "temperature": 0, "max_tokens": 1024, "tool_choice": "required",
  "tools": [{"type": "function", "function": {"name": "get_weather", "description": "Get the weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"},
      "days": {"type": "number", "default": 1.0}}, "required": ["city"]}}}],
  "messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Paris and Rome?"},
    {"role": "assistant", "content": "I will look.", "tool_calls": [
      {"id": "call_1", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\\"city\\":\\"Paris\\",\\"days\\":5.0}"}},
      {"id": "call_2", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\\"city\\":\\"Rome\\"}"}}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "{\\"sky\\":\\"clear\\"}"},
    {"role": "tool", "tool_call_id": "call_2", "content": "rain"},
    {"role": "user", "content": "And now Oslo."}]
}`) as JsonObject;
const SIMPLE: JsonObject = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: any;
  text: string;
}

/** Sends a request through the real SDK, which receives `answer` whatever it sends. */
async function ask(
  kind: ProviderKind,
  body: JsonObject,
  answer: { status?: number; headers?: Record<string, string>; body: unknown },
  baseUrl = 'https://api.example.com/v1',
) {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    sent.push({
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers)),
      text: String(init.body),
      body: parseJson(String(init.body)),
    });
    return new Response(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body), {
      status: answer.status ?? 200,
      headers: { 'content-type': 'application/json', ...answer.headers },
    });
  };
  const outcome = await createChatClient(kind, { baseUrl, apiKey: 'secret-key-0123456789' }, fetch)
    .ask(body, { signal: new AbortController().signal, timeoutMs: 5000 })
    .then(
      (reply) => ({ reply: reply as ProviderReply & { message: JsonObject; body: Json }, failure: undefined as never }),
      (failure: ProviderFailure) => ({ failure, reply: undefined as never }),
    );
  expect(sent).toHaveLength(1);
  return { ...outcome, sent: sent[0]! };
}

const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };

const callsOf = (message: JsonObject) =>
  (message.tool_calls as any[]).map((call) => [call.id, call.function.name, call.function.arguments]);

it.each(ProviderKind.options)(
  'the fields of a format (%s) for the model, the conversation and the tools are not parameters',
  async (kind) => {
    const { sent } = await ask(kind, CONVERSATION, { body: {} });
    const shaping = ['temperature', 'max_tokens', 'max_output_tokens', 'store', 'generationConfig'];
    const words = Object.keys(sent.body).filter((word) => !shaping.includes(word));
    expect(words.length).toBeGreaterThanOrEqual(4);
    for (const word of words) expect([word, findReservedParams({ [word]: 1 })]).toEqual([word, [expect.anything()]]);
  },
);

/** Every kind has a fixture, except chat completions, which the others are compared with. */
const OTHERS = ProviderKind.options.filter((kind) => kind !== 'openai');
const baseOf = (kind: ProviderKind): string =>
  `https://api.example.com${(kind !== 'openai' && fixture(kind).base_path) || '/v1'}`;

describe.each(OTHERS)('%s', (kind) => {
  const { path, request, answer, calls, error, notes = [], thought, key_header, wrong_key } = fixture(kind);
  const baseUrl = `${baseOf(kind)}/`;

  it('gets a conversation in its own format, with numbers as written', async () => {
    const { sent, reply } = await ask(kind, CONVERSATION, { body: answer }, baseUrl);
    expect(sent.url).toBe(`https://api.example.com${path}`);
    expect(JSON.parse(sent.text)).toEqual(JSON.parse(JSON.stringify(request)));
    expect(sent.text).toMatch(/days\\?":5\.0/);
    expect(sent.text).toContain('"default":1.0');
    expect(reply.notes.map(({ what }) => what)).toEqual(notes);
  });

  it('is read as an OpenAI message, with numbers as written', async () => {
    const { reply } = await ask(kind, CONVERSATION, { body: answer });
    expect(reply).toMatchObject({
      finishReason: 'tool_calls',
      usage: { promptTokens: 412, completionTokens: 89 },
      message: { role: 'assistant', content: 'Oslo, twice.' },
    });
    expect(callsOf(reply.message)).toEqual(calls);
    expect(readStored(reply.body)?.message).toEqual(reply.message);
  });

  it('gets back the thoughts of its model', async () => {
    const { reply } = await ask(kind, SIMPLE, {
      body: { ...answer, ...(kind === 'anthropic' && { content: [THOUGHT, ...answer.content] }) },
    });
    const { sent } = await ask(
      kind,
      { ...SIMPLE, messages: [...(SIMPLE.messages as []), reply.message] },
      { body: answer },
    );
    expect(sent.text).toContain(thought ?? reply.message.content);
  });

  it('sends the key as its host expects it, and nothing from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      ANTHROPIC_CUSTOM_HEADERS: 'x-secret: 1',
      OPENAI_CUSTOM_HEADERS: 'x-secret: 1',
      GOOGLE_API_KEY: 'env-key',
      ANTHROPIC_AUTH_TOKEN: 'env-key',
      OPENAI_ORG_ID: 'env-key',
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
    });
    const { sent } = await ask(kind, SIMPLE, { body: answer });
    process.env = before;
    expect(
      Object.entries(sent.headers)
        .filter(([, value]) => value.includes('secret-key'))
        .map(([name]) => name),
    ).toEqual([key_header]);
    expect(JSON.stringify(sent)).not.toMatch(/env-key|x-secret/);
  });

  it('has the same kinds of errors as the others', async () => {
    const { failure } = await ask(kind, SIMPLE, error);
    expect(failure).toMatchObject({
      kind: 'rate_limited',
      retryable: true,
      retryAfterMs: 7000,
      status: 429,
      message: expect.stringMatching(/answered 429:.* Rate limit/),
    });
    const wrongKey = wrong_key ?? { status: 401, body: { error: { message: 'invalid key secret-key-0123456789' } } };
    expect((await ask(kind, SIMPLE, wrongKey)).failure).toMatchObject({
      kind: 'auth',
      message: expect.stringMatching(/\[hidden\]/),
      body: expect.stringMatching(/\[hidden\]/),
    });
    expect(
      (await ask(kind, SIMPLE, { status: 529, body: { error: { message: 'Overloaded' } } })).failure,
    ).toMatchObject({ kind: 'provider_5xx', retryable: true, message: expect.stringMatching(/Overloaded/) });
    expect(
      (await ask(kind, SIMPLE, { status: 400, body: { error: { message: 'No tool_choice here' } } })).failure,
    ).toMatchObject({ kind: 'bad_request', status: 400, message: expect.stringMatching(/tool_choice/) });
    expect((await ask(kind, SIMPLE, { status: 502, body: '<!doctype html>' })).failure).toMatchObject({
      kind: 'provider_5xx',
      message: expect.stringMatching(/a web page/),
    });
    expect((await ask(kind, SIMPLE, { body: { choices: [] } })).failure).toMatchObject({
      kind: 'bad_response',
      retryable: true,
    });
    expect((await ask(kind, SIMPLE, { body: '<!doctype html>' })).failure).toMatchObject({
      kind: 'bad_response',
      retryable: false,
    });
  });

  it('fails in the connection like the others, and stops when aborted', async () => {
    const client = (fetch: () => Promise<Response>) => createChatClient(kind, { baseUrl, apiKey: 'k' }, fetch);
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await expect(
      client(() => Promise.reject(refused)).ask(SIMPLE, { signal: new AbortController().signal, timeoutMs: 5000 }),
    ).rejects.toMatchObject({ kind: 'network', message: expect.stringMatching(/refuses connections/) });
    const tooLarge = client(() => Promise.reject(new ResponseTooLarge('larger than 16 MiB'))).ask(SIMPLE, {
      signal: new AbortController().signal,
      timeoutMs: 5000,
    });
    await expect(tooLarge).rejects.toMatchObject({
      kind: 'bad_response',
      retryable: false,
      message: expect.stringMatching(/larger than 16 MiB/),
    });
    const silent = (_url?: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        if (init!.signal!.aborted) reject(new Error('aborted'));
        init!.signal!.addEventListener('abort', () => reject(new Error('aborted')));
      });
    await expect(
      client(silent).ask(SIMPLE, { signal: new AbortController().signal, timeoutMs: 5 }),
    ).rejects.toMatchObject({ kind: 'timeout' });
    const cancelled = new AbortController();
    const asked = client(silent).ask(SIMPLE, { signal: cancelled.signal, timeoutMs: 5000 });
    cancelled.abort(new Error('cancelled by its user'));
    await expect(asked).rejects.toThrow('cancelled by its user');
  });
});

describe('Anthropic', () => {
  const { answer } = fixture('anthropic');

  it('gets a temperature in the API version that has one', async () => {
    const { sent, reply } = await ask(
      'anthropic',
      { ...SIMPLE, temperature: 1.5, top_k: 5, anthropic_version: '2023-06-01' },
      { body: answer },
    );
    expect(sent.body).toMatchObject({ temperature: 1, top_k: 5 });
    expect(sent.body).not.toHaveProperty('anthropic_version');
    expect(sent.headers['anthropic-version']).toBe('2023-06-01');
    expect(reply.notes).toEqual([{ what: 'temperature', message: expect.stringMatching(/at most 1/) }]);
  });

  it('gets unsupported settings in another form, with a note', async () => {
    const { sent, reply } = await ask(
      'anthropic',
      {
        ...SIMPLE,
        temperature: 0,
        seed: 7,
        n: 1,
        frequency_penalty: 0,
        stop: 'END',
        user: 'u',
        thinking: { type: 'adaptive' },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
              { type: 'input_audio', input_audio: {} },
            ],
          },
          { role: 'developer', content: 'Late.' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a:b', type: 'function', function: { name: 'f', arguments: 'not JSON' } }],
          },
          { role: 'tool', tool_call_id: 'a:b', content: 'x' },
        ],
      },
      { body: answer },
    );
    expect(reply.notes.map(({ what }) => what).sort()).toEqual([
      'call-arguments',
      'late-system',
      'part',
      'seed',
      'temperature',
      'tools',
    ]);
    expect(sent.body).toMatchObject({
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive' },
      system: 'Late.',
      messages: [
        { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
        { content: [{ type: 'tool_use', id: 'a_b', input: {} }] },
        { content: [{ tool_use_id: 'a_b' }] },
      ],
    });
    for (const name of ['seed', 'n', 'frequency_penalty', 'temperature']) expect(sent.body).not.toHaveProperty(name);
  });

  it('gets effort and a schema in its own fields', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
    const asked = async (more: object) => ask('anthropic', { ...SIMPLE, ...more } as JsonObject, { body: answer });
    const { sent, reply } = await asked({
      reasoning_effort: 'high',
      response_format: format,
      output_config: { other: 1 },
    });
    expect(sent.body).toMatchObject({
      output_config: { other: 1, effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
    });
    expect(reply.notes).toEqual([]);
    const { sent: without, reply: told } = await asked({
      reasoning_effort: 'minimal',
      response_format: { type: 'json_object' },
    });
    expect(without.body).not.toHaveProperty('output_config');
    expect(told.notes.map(({ what }) => what)).toEqual(['reasoning_effort', 'response_format']);
    expect((await asked({ response_format: { type: 'text' }, reasoning_effort: null })).reply.notes).toEqual([]);
  });

  it.each([
    ['refusal', 'content_filter'],
    ['max_tokens', 'length'],
    ['end_turn', 'stop'],
  ])('stop_reason %s is finish_reason %s', async (stop_reason, finishReason) => {
    expect((await ask('anthropic', SIMPLE, { body: { ...answer, content: [], stop_reason } })).reply).toMatchObject({
      finishReason,
      message: { content: null },
    });
  });
});

describe('a request without a limit', () => {
  const { max_tokens: _, ...unlimited } = SIMPLE;
  const sentTo = async (kind: 'openai' | 'openai-responses' | 'google', more: JsonObject = {}) =>
    (await ask(kind, { ...unlimited, ...more }, { body: fixture('openai-responses').answer })).sent.text;

  it('is sent without one, unless the format requires it', async () => {
    for (const kind of ['openai', 'openai-responses', 'google'] as const)
      expect(await sentTo(kind)).not.toMatch(/max/i);
  });

  it.each([
    ['claude-3-haiku-20240307', 4096],
    ['claude-3-5-sonnet-latest', 8192],
    ['claude-opus-4-20250514', 32_000],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 32_000],
    ['anthropic/claude-opus-4.5', 64_000],
    ['claude-haiku-4-5-20251001', 64_000],
    ['claude-opus-4-6', 128_000],
    ['claude-haiku-5-5', 128_000],
    ['claude-mythos-preview', 32_000],
    ['some-model-5-5', 4096],
  ])('gets the maximum of the model at Anthropic, %s: %d, with a note', async (model, tokens) => {
    const { sent, reply } = await ask('anthropic', { ...unlimited, model }, { body: fixture('anthropic').answer });
    expect(sent.body.max_tokens).toBe(tokens);
    expect(reply.notes).toEqual([{ what: 'max_tokens', message: expect.stringContaining(`; ${tokens} was sent.`) }]);
  });
});

describe('The Responses API', () => {
  const { answer } = fixture('openai-responses');

  it('gets unsupported settings in another form, with a note', async () => {
    const { sent, reply } = await ask(
      'openai-responses',
      {
        ...SIMPLE,
        max_tokens: 5,
        seed: 7,
        stop: ['END'],
        reasoning_effort: 'low',
        verbosity: 'low',
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
        top_p: 0.5,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi' },
              { type: 'input_audio', input_audio: {} },
            ],
          },
          { role: 'assistant', content: null, output_items: [{ type: 'reasoning', id: 'rs_1' }] },
        ],
      },
      { body: answer },
    );
    expect(reply.notes.map(({ what }) => what).sort()).toEqual(['max_tokens', 'part', 'reasoning', 'seed', 'stop']);
    expect(sent.body).toEqual({
      model: 'm',
      store: false,
      max_output_tokens: 16,
      top_p: 0.5,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'x', schema: {} }, verbosity: 'low' },
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    });
  });

  it('reports why a reply ended, and that it failed', async () => {
    const ended = async (more: object) => ask('openai-responses', SIMPLE, { body: { ...answer, output: [], ...more } });
    expect(
      (await ended({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })).reply.finishReason,
    ).toBe('length');
    expect(
      (await ended({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })).reply.finishReason,
    ).toBe('content_filter');
    expect(
      (await ended({ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] })).reply.message,
    ).toMatchObject({ content: null, refusal: 'No.' });
    expect(
      (await ended({ status: 'failed', error: { code: 'server_error', message: 'The model crashed.' } })).failure,
    ).toMatchObject({ kind: 'provider_5xx', message: expect.stringMatching(/The model crashed/) });
    expect(
      (await ended({ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } })).failure,
    ).toMatchObject({ kind: 'rate_limited' });
  });
});

describe('The Gemini API', () => {
  const { answer } = fixture('google');

  it('gets unsupported settings in another form, with a note', async () => {
    const { sent, reply } = await ask(
      'google',
      {
        ...SIMPLE,
        parallel_tool_calls: false,
        user: 'u',
        made_up: 1,
        stop: 'END',
        top_p: 0.5,
        seed: 7,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
        thinkingConfig: { thinkingBudget: 0 },
        tools: [{ type: 'function', function: { name: 'f', strict: true } }],
        tool_choice: { type: 'function', function: { name: 'f' } },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
              { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
            ],
          },
        ],
      },
      { body: answer },
    );
    expect(reply.notes.map(({ what }) => what).sort()).toEqual(['made_up', 'parallel_tool_calls', 'user']);
    expect(sent.body).toEqual({
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { fileData: { fileUri: 'https://x.example/a.png' } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 10,
        topP: 0.5,
        seed: 7,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { thinkingBudget: 0 },
      },
    });
  });

  it.each([
    ['auto', [true, true], 'VALIDATED', []],
    ['auto', [true, false], 'VALIDATED', ['strict']],
    ['required', [true, false], 'ANY', ['strict']],
    ['auto', [false, undefined], 'AUTO', []],
    ['none', [true], 'NONE', []],
  ])('tool_choice %s with strict tools %j is mode %s', async (choice, strict, mode, notes) => {
    const tools = strict.map((one, index) => ({
      type: 'function',
      function: { name: `f${index}`, ...(one !== undefined && { strict: one }) },
    }));
    const { sent, reply } = await ask('google', { ...SIMPLE, tools, tool_choice: choice } as never, { body: answer });
    expect(sent.body.toolConfig.functionCallingConfig).toEqual({ mode });
    expect(reply.notes.map(({ what }) => what)).toEqual(notes);
  });

  it('reports why a reply ended, as for a filtered reply or a call that Google could not read', async () => {
    const ended = async (candidates: unknown, more: object = {}) =>
      (await ask('google', SIMPLE, { body: { ...answer, candidates, ...more } })).reply;
    expect(await ended([{ finishReason: 'MAX_TOKENS' }])).toMatchObject({
      finishReason: 'length',
      message: { content: null },
    });
    expect(await ended([{ finishReason: 'SAFETY' }])).toMatchObject({
      finishReason: 'content_filter',
      message: { content: null },
    });
    const { failure } = await ask('google', SIMPLE, { body: { promptFeedback: { blockReason: 'SAFETY' } } });
    expect(failure).toMatchObject({ kind: 'blocked', retryable: false });
    expect(
      await ended([
        { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: get_weather(city=' },
      ]),
    ).toMatchObject({
      finishReason: 'malformed_function_call',
      message: { content: 'Malformed function call: get_weather(city=' },
    });
  });
});

describe('tool choice is sent in each format', () => {
  const one = { type: 'function', function: { name: 'get_weather' } };
  const said = {
    anthropic: 'tool_choice',
    'openai-responses': 'tool_choice',
    openai: 'tool_choice',
    google: 'toolConfig',
  } as const;
  const { answer } = fixture('anthropic');
  it.each([
    ['openai', 'auto', 'auto'],
    ['openai', 'required', 'required'],
    ['openai', 'none', 'none'],
    ['openai', one, one],
    ['openai-responses', 'auto', 'auto'],
    ['openai-responses', 'required', 'required'],
    ['openai-responses', 'none', 'none'],
    ['openai-responses', one, { type: 'function', name: 'get_weather' }],
    ['anthropic', 'auto', { type: 'auto' }],
    ['anthropic', 'required', { type: 'any' }],
    ['anthropic', 'none', { type: 'none' }],
    ['anthropic', one, { type: 'tool', name: 'get_weather' }],
    ['google', 'auto', { functionCallingConfig: { mode: 'AUTO' } }],
    ['google', 'required', { functionCallingConfig: { mode: 'ANY' } }],
    ['google', 'none', { functionCallingConfig: { mode: 'NONE' } }],
    ['google', one, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] } }],
  ] as const)('%s: %j', async (kind, choice, wanted) => {
    const { sent } = await ask(kind, { ...CONVERSATION, tool_choice: choice as never }, { body: answer });
    expect(sent.body[said[kind]]).toEqual(wanted);
  });

  it.each([
    ['openai', { parallel_tool_calls: false }],
    ['openai-responses', { parallel_tool_calls: false }],
    ['anthropic', { tool_choice: { type: 'any', disable_parallel_tool_use: true } }],
  ] as const)('%s: one call at a time', async (kind, wanted) => {
    expect(
      (await ask(kind, { ...CONVERSATION, parallel_tool_calls: false }, { body: answer })).sent.body,
    ).toMatchObject(wanted);
  });
});

/** The expected reading of a fixture's answer. */
interface Expected {
  what: string;
  status?: number;
  headers?: Record<string, string>;
  body: JsonObject;
  reply?: {
    finishReason: string;
    promptTokens?: number | null;
    completionTokens?: number | null;
    content?: string | null;
    refusal?: string;
    calls: unknown[];
    refilledInMs?: number;
  };
  failure?: { kind: string; retryable: boolean; retryAfterMs?: number; says: string };
  sentBack?: JsonObject[];
}

describe.each(ProviderKind.options)('responses of hosts of kind %s', (kind) => {
  const baseUrl = baseOf(kind);
  const ones = fixture(kind, 'answers') as Expected[];

  it.each(ones.map((one) => [one.what, one] as const))(
    '%s',
    async (_what, { body, status, headers, reply: wanted, failure, sentBack }) => {
      const answer = { body: body as unknown, ...(status && { status }), ...(headers && { headers }) };
      const got = await ask(kind, CONVERSATION, answer, baseUrl);
      if (failure) {
        const { says, ...facts } = failure;
        expect(got.failure).toMatchObject({ ...facts, message: expect.stringContaining(says) });
        return;
      }
      const { calls, content, refusal, ...facts } = wanted!;
      expect(got.failure).toBeUndefined();
      const { usage, refilledInMs } = got.reply;
      expect({ ...got.reply, ...usage, refilledInMs }).toMatchObject({
        ...facts,
        refilledInMs: facts.refilledInMs,
      });
      expect(got.reply.message.tool_calls ? callsOf(got.reply.message) : []).toEqual(calls);
      if (content !== undefined) expect(got.reply.message.content).toBe(content);
      if (refusal !== undefined) expect(got.reply.message.refusal).toBe(refusal);
      expect(readStored(got.reply.body)?.message).toEqual(got.reply.message);
      if (!sentBack) return;

      // The next round of the conversation contains the reply as the model sent it, followed by the results of its
      // calls.
      const results = ((got.reply.message.tool_calls ?? []) as any[]).map((call) => ({
        role: 'tool',
        tool_call_id: call.id,
        content: 'clear',
      }));
      const messages = [
        { role: 'user', content: 'Hi' },
        got.reply.message,
        ...results,
        { role: 'user', content: 'And?' },
      ] as never;
      const { sent } = await ask(kind, { ...SIMPLE, messages }, answer, baseUrl);
      const at: (string | number)[] = fixture(kind).sent_back_at;
      const place = at.reduce((inner, key) => inner?.[key], sent.body);
      const said = kind === 'openai-responses' ? place.slice(1, 1 + sentBack.length) : place;
      expect(JSON.parse(JSON.stringify(said))).toEqual(JSON.parse(JSON.stringify(sentBack)));
      if (sentBack.some((piece) => JSON.stringify(piece).includes('5.0'))) expect(sent.text).toMatch(/days\\?":5\.0/);
    },
  );
});

describe.each(['openai', 'openai-responses', 'anthropic', 'google'] as const)(
  'tool names that hosts of kind %s refuse',
  (kind) => {
    const taken = kind === 'google' ? /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/ : /^[A-Za-z0-9_-]{1,64}$/;
    const toTool = (name: string) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: {} } },
    });
    const answerOf = (names: string[]) =>
      ({
        openai: {
          choices: [
            {
              message: {
                role: 'assistant',
                content: null,
                tool_calls: names.map((name, index) => ({
                  id: `c${index}`,
                  type: 'function',
                  function: { name, arguments: '{"n":5.0}' },
                })),
              },
            },
          ],
        },
        'openai-responses': {
          object: 'response',
          status: 'completed',
          output: [
            { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' },
            ...names.map((name, index) => ({
              type: 'function_call',
              call_id: `c${index}`,
              name,
              arguments: '{"n":5.0}',
            })),
          ],
        },
        anthropic: {
          type: 'message',
          content: [THOUGHT, ...names.map((name, index) => ({ type: 'tool_use', id: `c${index}`, name, input: {} }))],
          stop_reason: 'tool_use',
        },
        google: {
          candidates: [
            {
              content: {
                role: 'model',
                parts: names.map((name, index) => ({ functionCall: { id: `c${index}`, name, args: {} } })),
              },
              finishReason: 'STOP',
            },
          ],
        },
      })[kind] as JsonObject;
    const toolsIn = (body: any): string[] =>
      kind === 'google'
        ? body.tools[0].functionDeclarations.map(({ name }: any) => name)
        : body.tools.map((one: any) => (one.function ?? one).name);
    const asked = (names: readonly string[], more: object = {}, said: string[] = []) =>
      ask(kind, { ...SIMPLE, max_tokens: 100, tools: names.map(toTool), ...more } as never, { body: answerOf(said) });
    const calledIn = (message: JsonObject): string[] =>
      ((message.tool_calls ?? []) as any[]).map((call) => call.function.name);

    it('are renamed uniquely, and mapped back in replies; valid names stay', async () => {
      const name = fc.oneof(
        fc.stringMatching(/^[ab1._-]{1,4}$/),
        fc.string({ maxLength: 5 }),
        fc.string({ unit: 'binary', maxLength: 3 }),
        fc.constantFrom(
          'weather.get',
          'weather_get',
          'weather get',
          'get/weather',
          '天気',
          '.',
          '',
          '__proto__',
          'constructor',
          'x'.repeat(64),
          'x'.repeat(65),
          `${'x'.repeat(64)}y`,
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), async (names) => {
          const { sent, reply } = await asked(names);
          const others = toolsIn(sent.body);
          for (const other of others) expect(other).toMatch(taken);
          expect(new Set(others).size).toBe(names.length);
          expect(others.filter((_other, index) => taken.test(names[index]!))).toEqual(
            names.filter((one) => taken.test(one)),
          );
          expect(reply.notes.map(({ what }) => what)).toEqual(names.join() === others.join() ? [] : ['tool-names']);
          expect(calledIn((await asked(names, {}, others)).reply.message)).toEqual(names);
          // The order of the tools makes no difference, and neither does an unrelated tool.
          expect(toolsIn((await asked(['quite_another', ...names.toReversed()])).sent.body)).toEqual([
            'quite_another',
            ...others.toReversed(),
          ]);
        }),
        { numRuns: 40 },
      );
    }, 30_000);

    it('are readable, and noted', async () => {
      const names = ['a.b', 'a_b', 'weather.get', '1st', 'x.y', '2nd', 'x'.repeat(65)];
      const { sent, reply } = await asked(names);
      const others = toolsIn(sent.body);
      if (kind === 'google')
        expect(others).toEqual(['a.b', 'a_b', 'weather.get', '_1st', 'x.y', '_2nd', 'x'.repeat(64)]);
      else
        expect(others).toEqual([
          expect.stringMatching(/^a_b_[0-9a-f]{6}$/),
          'a_b',
          'weather_get',
          '1st',
          'x_y',
          '2nd',
          'x'.repeat(64),
        ]);
      expect((await asked(names.toReversed())).reply.notes).toEqual(reply.notes);
      expect(reply.notes).toEqual([
        {
          what: 'tool-names',
          message: expect.stringMatching(
            /^This API accepts tool names of up to 64 letters, .* Results have the suite's names\.$/,
          ),
        },
      ]);
      expect(reply.notes[0]!.message).toContain(
        kind === 'google' ? '"1st" as "_1st"' : '"weather.get" as "weather_get"',
      );
      expect(suiteNamesByWireName(kind, ['a.b', 'a_b'].map(toTool) as never)).toEqual(
        kind === 'google' ? undefined : { [others[0]!]: 'a.b' },
      );
    });

    it('are renamed in the calls of a conversation, but not in its text', async () => {
      const names = kind === 'google' ? ['1a', '_1a'] : ['a.b', 'a_b'];
      const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
      // Calls of invented tools get names that no other tool has.
      const [own, other] = toolsIn((await asked(names)).sent.body) as [string, string];
      const odd = ['no such tool!', '', own, 'x'.repeat(300)];
      const calls = [...names, ...odd].map((name, index) => call(`c${index}`, name));
      const messages = [
        { role: 'system', content: `Use ${names[0]}.` },
        { role: 'user', content: `Call ${names[0]} now.`, name: names[0] },
        { role: 'assistant', content: `I call ${names[0]}.`, tool_calls: calls },
        ...calls.map(({ id, function: { name } }) => ({
          role: 'tool',
          tool_call_id: id,
          name,
          content: `${names[0]} says`,
        })),
        { role: 'user', content: 'And?' },
      ];
      const choice = { type: 'function', function: { name: names[0] } };
      const { sent, reply } = await asked(names, { messages, tool_choice: choice });
      const places: Record<typeof kind, (body: any) => { called: string[]; chosen: string; results?: string[] }> = {
        openai: (body) => ({
          called: calledIn(body.messages[2]),
          chosen: body.tool_choice.function.name,
          results: body.messages.slice(3, -1).map((one: any) => one.name),
        }),
        'openai-responses': (body) => ({
          called: body.input.filter((one: any) => one.type === 'function_call').map((one: any) => one.name),
          chosen: body.tool_choice.name,
        }),
        anthropic: (body) => ({
          called: body.messages[1].content.slice(1).map((one: any) => one.name),
          chosen: body.tool_choice.name,
        }),
        google: (body) => ({
          called: body.contents[1].parts.slice(1).map((one: any) => one.functionCall.name),
          chosen: body.toolConfig.functionCallingConfig.allowedFunctionNames[0],
          results: body.contents[2].parts.flatMap((one: any) => one.functionResponse?.name ?? []),
        }),
      };
      const { called, chosen, results = called } = places[kind](sent.body);
      expect(toolsIn(sent.body)).toEqual([own, other]);
      expect([called.slice(0, 2), chosen, results]).toEqual([[own, other], own, called]);
      expect(new Set(called).size).toBe(calls.length);
      for (const one of called) expect(one).toMatch(taken);
      expect(sent.text).toContain(`Call ${names[0]} now.`);
      expect(sent.text.split(`${names[0]} says`).length - 1).toBe(calls.length);
      expect(reply.notes.map(({ what }) => what)).toEqual(['tool-names']);
      if (kind === 'openai') expect(sent.body.messages[1].name).toBe(names[0]);
    });

    it('stay as sent in the stored body, with numbers as written, and in the parts sent back', async () => {
      const names = kind === 'google' ? ['1a', 'b'] : ['a.b', 'b'];
      const others = toolsIn((await asked(names)).sent.body);
      // A model may use names that it was not given: an invented one, or the suite's own.
      const said = [...others, names[0]!, 'made.up'];
      const { reply } = await asked(names, {}, said);
      expect(calledIn(reply.message)).toEqual([...names, names[0], 'made.up']);
      expect(readStored(reply.body)?.message).toEqual(reply.message);
      if (kind.startsWith('openai')) expect(JSON.stringify(reply.body)).toContain('{\\"n\\":5.0}');
      const results = said.map((_name, index) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'x' }));
      const { sent } = await asked(names, { messages: [...(SIMPLE.messages as []), reply.message, ...results] });
      if (kind === 'anthropic')
        expect(sent.body.messages[1].content).toEqual([
          THOUGHT,
          ...[...others, others[0], 'made_up'].map((name) => expect.objectContaining({ type: 'tool_use', name })),
        ]);
      else expect(sent.text).toContain(`"name":"${others[0]}"`);
      expect(sent.text).not.toContain(`"name":"${names[0]}"`);
    });
  },
);

it("calls parsed from a reply's text are sent back as calls, not as the original text", async () => {
  const call = { id: 'call_0_0', type: 'function', function: { name: 'f', arguments: '{}' } };
  const pieces = {
    content_blocks: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'f()' },
    ],
    output_items: [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'x' }],
  };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'f()', tool_calls: [call], ...pieces },
    { role: 'tool', tool_call_id: 'call_0_0', content: 'x' },
  ] as never;
  const { sent } = await ask('anthropic', { ...SIMPLE, messages }, { body: fixture('anthropic').answer });
  expect(sent.body.messages[1].content).toEqual([
    { type: 'text', text: 'f()' },
    { type: 'tool_use', id: 'call_0_0', name: 'f', input: {} },
  ]);
  const { sent: other } = await ask(
    'openai-responses',
    { ...SIMPLE, messages },
    { body: fixture('openai-responses').answer },
  );
  expect(other.body.input.slice(1, 3)).toEqual([
    { role: 'assistant', content: 'f()' },
    { type: 'function_call', call_id: 'call_0_0', name: 'f', arguments: '{}' },
  ]);
});

it('an error inside a 200 counts as an error', async () => {
  expect(
    (await ask('openai', SIMPLE, { body: { error: { code: 502, message: 'Upstream is down' } } })).failure,
  ).toMatchObject({ kind: 'provider_5xx', message: expect.stringMatching(/Upstream is down/) });
});

/** Copies of a value, each with one text replaced by an object. */
function* withoutText(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield { toString: 1, valueOf: 1 };
  else if (Array.isArray(value))
    for (const [index, inner] of value.entries())
      for (const other of withoutText(inner)) yield value.with(index, other);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      for (const other of withoutText(inner)) yield { ...value, [key]: other };
}

it.each(ProviderKind.options)(
  'any value of a host (%s) in place of a text is a reply or a failure of the host, never an internal error',
  async (kind) => {
    const answers = JSON.parse(readFileSync(new URL(`${kind}/answers.json`, import.meta.url), 'utf8')) as {
      body: JsonObject;
    }[];
    for (const { body } of answers)
      for (const other of withoutText(body)) expect(() => readStored(other as JsonObject)).not.toThrow();
    const error = { code: 400, type: 'x', message: 'x', status: 'x', details: [{ reason: 'x', retryDelay: '5s' }] };
    for (const body of [...withoutText({ error }), { error: { ...error, code: { valueOf: 1, toString: 1 } } }]) {
      for (const status of [200, 400])
        expect((await ask(kind, SIMPLE, { status, body })).failure?.kind).not.toMatch(/internal|network/);
    }
  },
);
