import { request as httpRequest } from 'node:http';
import { createSimulator, type Simulator } from './server.js';

let simulator: Simulator;
beforeEach(async () => {
  simulator = createSimulator({ seed: 7 });
  await simulator.listen(0, '127.0.0.1');
});
afterEach(() => simulator.close());

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get current weather for a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];
const post = (path: string, body: unknown, more: RequestInit = {}) =>
  fetch(simulator.url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  });
const ask = (model: string, more: object = {}, init: RequestInit = {}) =>
  post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'What is the weather in Tokyo?' }], tools, ...more },
    init,
  );
const json = async (answer: Promise<Response>): Promise<any> => (await answer).json();
const choice = async (model: string, more?: object) => (await json(ask(model, more))).choices[0];
const stats = async (model: string) => (await json(fetch(`${simulator.url}/control/stats`))).models[model];

describe('a failing model', () => {
  it.each([
    ['wrong-key', 401, /Incorrect API key/],
    ['html-error', 502, /<html>/],
    ['html-page', 200, /<html>/],
    ['bad-request', 400, /"code":"tool_use_failed".*"failed_generation":"<function=get_weather>/],
    ['no-temperature', 400, /"param":"temperature"/],
    ['flaky-100@0', expect.any(Number), /./],
  ])('%s answers %s', async (model, status, text) => {
    const answer = await ask(model, { temperature: 0 }).catch(() => null);
    if (model.startsWith('flaky') && answer === null) return;
    expect(answer!.status).toEqual(status);
    if (!model.startsWith('flaky')) expect(await answer!.text()).toMatch(text);
  });

  it('cut-off stops in the middle of its arguments with finish reason "length"', async () => {
    const { finish_reason, message } = await choice('cut-off');
    expect(finish_reason).toBe('length');
    expect(() => JSON.parse(message.tool_calls[0].function.arguments)).toThrow(SyntaxError);
  });

  it('a reply longer than max_tokens is cut off too', async () => {
    expect((await choice('perfect-ish', { max_tokens: 2 })).finish_reason).toBe('length');
    expect((await choice('perfect-ish', { max_tokens: 200 })).finish_reason).toBe('tool_calls');
  });

  it('content-filter returns no text, with the reason', async () => {
    expect(await choice('content-filter')).toMatchObject({
      finish_reason: 'content_filter',
      message: { content: null },
    });
  });

  it('huge answers 20 MB of good JSON', async () => {
    const text = await (await ask('huge')).text();
    expect(text.length).toBeGreaterThan(20_000_000);
    expect(JSON.parse(text).choices[0].message.tool_calls[0].function.name).toBe('get_weather');
  });

  it('invalid-utf8 answers bytes that are not UTF-8', async () => {
    const bytes = await (await ask('invalid-utf8')).arrayBuffer();
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow(/not valid/);
  });

  it('redirect counts the clients that follow', async () => {
    expect((await ask('redirect', {}, { redirect: 'manual' })).status).toBe(307);
    expect((await json(fetch(`${simulator.url}/control/stats`))).redirects_followed).toBe(0);
    expect(await json(ask('redirect'))).toEqual({ followed: true });
    expect((await json(fetch(`${simulator.url}/control/stats`))).redirects_followed).toBe(1);
  });

  it('hang waits until the client gives up, which is counted', async () => {
    const patience = new AbortController();
    const asked = ask('hangs', {}, { signal: patience.signal });
    while ((await stats('hangs'))?.in_flight !== 1);
    patience.abort();
    await expect(asked).rejects.toThrow();
    while ((await stats('hangs')).in_flight !== 0);
    expect((await stats('hangs')).abandoned).toBe(1);
  });

  it('slow responses whose client is gone are counted as abandoned', async () => {
    const client = new AbortController();
    const asked = ask('slow-60000', {}, { signal: client.signal });
    asked.catch(() => {}); // Awaited below.
    while ((await stats('slow-60000'))?.in_flight !== 1);
    client.abort();
    await expect(asked).rejects.toThrow();
    while ((await stats('slow-60000')).in_flight !== 0);
    expect(await stats('slow-60000')).toMatchObject({ requests: 1, abandoned: 1, answers: {} });
  });

  it('flaky fails in every way, and the same request succeeds when it is retried', async () => {
    for (let n = 0; n < 60; n++)
      await ask('flaky-60', { messages: [{ role: 'user', content: `Weather in Paris, ${n}` }] })
        .then((answer) => answer.text())
        .catch(() => '');
    expect(Object.keys((await stats('flaky-60')).answers).sort()).toEqual([
      '200',
      '500',
      '502',
      '503',
      'half',
      'reset',
    ]);
    const again = async (): Promise<number> =>
      ask('flaky-60')
        .then((answer) => answer.text().then(() => answer.status))
        .catch(() => 0);
    while ((await again()) !== 200);
  });

  it('overloaded refuses the first four of every twenty', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 24; n++) statuses.push((await ask('overloaded')).status);
    expect(statuses.map((status) => (status === 529 ? 'x' : '.')).join('')).toBe('xxxx................xxxx');
  });

  it('limited-tokens counts the tokens of prompt and reply', async () => {
    expect((await ask('limited-tokens-600')).headers.get('x-ratelimit-limit-tokens')).toBe('600');
    const refused = await ask('limited-tokens-600');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  });

  it('heavy-tail has varying latency, the same for the same seed', async () => {
    const latencies: number[] = [];
    for (let n = 0; n < 20; n++) {
      const startedAt = performance.now();
      await ask('heavy-tail-4', { messages: [{ role: 'user', content: `Weather in Rome, ${n}` }] });
      latencies.push(performance.now() - startedAt);
    }
    expect(Math.max(...latencies)).toBeGreaterThan(Math.min(...latencies));
  });
});

describe('a conversation', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Tokyo"}' } };
  const answered = [
    { role: 'user', content: 'What is the weather in Tokyo?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"temperature":21}' },
  ];

  it('ends with text once perfect-ish has its answer, and never with never-stops', async () => {
    expect((await choice('perfect-ish', { messages: answered })).message.content).toMatch(/21/);
    expect((await choice('never-stops', { messages: answered })).message.tool_calls[0].function.name).toBe(
      'get_weather',
    );
  });

  it('continues to the next tool with the result of the first', async () => {
    const tool = (name: string, description: string, properties: object) => ({
      type: 'function',
      function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
    });
    const chain = [
      tool('search_flights', 'Search flights', { origin: { type: 'string' }, destination: { type: 'string' } }),
      tool('book_flight', 'Book a flight', { flight_id: { type: 'string' } }),
    ];
    const prompt = { role: 'user', content: 'Book a flight from Oslo to London' };
    const first = (await choice('perfect-ish', { messages: [prompt], tools: chain, tool_choice: 'required' })).message;
    expect(first.tool_calls[0].function).toEqual({
      name: 'search_flights',
      arguments: '{"origin":"Oslo","destination":"London"}',
    });
    const found = { role: 'tool', tool_call_id: first.tool_calls[0].id, content: '{"flights":[{"id":"FL123"}]}' };
    const second = (
      await choice('perfect-ish', { messages: [prompt, first, found], tools: chain, tool_choice: 'required' })
    ).message;
    expect(second.tool_calls[0].function).toEqual({ name: 'book_flight', arguments: '{"flight_id":"FL123"}' });
  });
});

describe('the control endpoints', () => {
  const control = (path: string, body: unknown) => post(`/control/${path}`, body);

  it('switch one or all models off, by status or reset, and on again', async () => {
    await control('models/perfect-ish', { on: false, status: 500 });
    expect((await ask('perfect-ish')).status).toBe(500);
    expect((await ask('instant')).status).toBe(200);
    await control('models/perfect-ish', { on: false, status: 'reset' });
    await expect(ask('perfect-ish')).rejects.toThrow();
    await control('models/perfect-ish', { on: true });
    await control('models/*', { on: false });
    expect((await ask('instant:b')).status).toBe(503);
    await control('models/*', { on: true });
    expect((await ask('perfect-ish')).status).toBe(200);
  });

  it('name the problem of a posted body', async () => {
    expect((await json(control('models/gpt-9', { on: false }))).error.message).toMatch(
      /"gpt-9" does not exist. There are perfect-ish/,
    );
    expect((await json(control('models/instant', { on: 'no' }))).error.message).toMatch(/"on" must be/);
    expect((await json(control('scripted/a', { reply: 1 }))).error.message).toMatch(/"replies"/);
    expect((await control('models/%', { on: false })).status).toBe(500);
  });

  it('script replies by prompt, whole HTTP responses and delays; the last of a list repeats', async () => {
    const script = {
      by_prompt: {
        'What is the weather in Tokyo?': [
          { status: 429, headers: { 'retry-after': '1' } },
          {
            content: 'fine',
            usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
            finish_reason: 'stop',
          },
        ],
      },
      replies: [
        { tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{"n":5.0}' } }] },
        { body: 'not json' },
      ],
    };
    await control('scripted/a', script);
    const first = await ask('scripted:a');
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await json(ask('scripted:a'))).toMatchObject({
      choices: [{ message: { content: 'fine' } }],
      usage: { total_tokens: 10 },
    });
    expect(await json(ask('scripted:a'))).toMatchObject({ choices: [{ message: { content: 'fine' } }] });
    const other = { messages: [{ role: 'user', content: 'Anything else' }] };
    expect((await choice('scripted:a', other)).message.tool_calls[0].function.arguments).toBe('{"n":5.0}');
    expect(await (await ask('scripted:a', other)).text()).toBe('not json');
    expect((await json(ask('scripted:b'))).error.message).toMatch(/no script/);
  });

  it('count requests, and return the last ones', async () => {
    await Promise.all([ask('instant'), ask('instant'), ask('instant:b')]);
    expect(await stats('instant')).toMatchObject({
      requests: 2,
      answers: { 200: 2 },
      in_flight: 0,
      prompts: { 'What is the weather in Tokyo?': 2 },
    });
    const { items } = await json(fetch(`${simulator.url}/control/requests?model=instant:b`));
    expect(items).toEqual([expect.objectContaining({ model: 'instant:b', tools })]);
    await control('reset', {});
    expect(await stats('instant')).toBeUndefined();
  });
});

describe('a wrong request', () => {
  it.each([
    ['not JSON', '{"model": ', 400, /could not parse/],
    ['no model', { messages: [{ role: 'user', content: 'x' }] }, 400, /model parameter/],
    ['an unknown model', { model: 'gpt-9', messages: [{ role: 'user', content: 'x' }] }, 404, /does not exist/],
    ['no messages', { model: 'instant', messages: [] }, 400, /'messages' must be/],
    [
      'tool_choice without tools',
      { model: 'instant', messages: [{ role: 'user', content: 'x' }], tool_choice: 'required' },
      400,
      /'tool_choice' is only allowed/,
    ],
    [
      'streaming',
      { model: 'instant', messages: [{ role: 'user', content: 'x' }], stream: true },
      400,
      /does not stream/,
    ],
  ])('gets an OpenAI error: %s', async (_what, body, status, message) => {
    const answer = await post('/v1/chat/completions', body);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as any).error).toMatchObject({
      message: expect.stringMatching(message),
      type: 'invalid_request_error',
    });
  });

  const nameOf = (length: number) => 'x'.repeat(length);
  const PATTERN = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
  const google = (at: number) =>
    `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. ` +
    'Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), ' +
    'dots (.), colons (:), or dashes (-), with a maximum length of 64.\n';
  it.each([
    [
      'chat',
      ['f', 'a.b'],
      {
        error: {
          message: `Invalid 'tools[1].function.name': ${PATTERN}`,
          type: 'invalid_request_error',
          param: 'tools[1].function.name',
          code: 'invalid_value',
        },
      },
    ],
    [
      'chat',
      [nameOf(65)],
      {
        error: {
          message:
            "Invalid 'tools[0].function.name': string too long. Expected a string with maximum " +
            'length 64, but got a string with length 65 instead.',
          code: 'string_above_max_length',
        },
      },
    ],
    ['chat', [''], { error: { code: 'empty_string', param: 'tools[0].function.name' } }],
    ['chat', [nameOf(64), 'a-b_C9'], undefined],
    [
      'responses',
      ['f', 'a b'],
      {
        error: {
          message: `Invalid 'tools[1].name': ${PATTERN}`,
          type: 'invalid_request_error',
          param: 'tools[1].name',
          code: 'invalid_value',
        },
      },
    ],
    ['responses', ['a-b_C9'], undefined],
    [
      'anthropic',
      ['f', 'a.b'],
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: "tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        },
      },
    ],
    [
      'anthropic',
      [nameOf(129)],
      { error: { message: 'tools.0.custom.name: String should have at most 128 characters' } },
    ],
    ['anthropic', ['f', 'f'], { error: { message: 'tools: Tool names must be unique.' } }],
    ['anthropic', [nameOf(128)], undefined],
    [
      'google',
      ['f', '1st', 'a/b'],
      { error: { code: 400, status: 'INVALID_ARGUMENT', message: google(1) + google(2) } },
    ],
    ['google', ['f', 'f'], { error: { message: 'Duplicate function declaration found: f' } }],
    ['google', ['a.b', 'a:b-c', '_1', nameOf(64)], undefined],
  ])('has tool names that the real host of %s refuses: %j', async (format, names, error) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const asked = {
      chat: () =>
        post('/v1/chat/completions', {
          model: 'instant',
          messages,
          tools: names.map((name) => ({ type: 'function', function: { name } })),
        }),
      responses: () =>
        post('/v1/responses', {
          model: 'instant',
          input: 'Hi',
          tools: names.map((name) => ({ type: 'function', name })),
        }),
      anthropic: () =>
        post(
          '/anthropic/v1/messages',
          { model: 'instant', max_tokens: 9, messages, tools: names.map((name) => ({ name, input_schema: {} })) },
          { headers: { 'anthropic-version': '2023-06-01' } },
        ),
      google: () =>
        post('/google/v1beta/models/instant:generateContent', {
          contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
          tools: [{ functionDeclarations: names.map((name) => ({ name })) }],
        }),
    }[format]!;
    const answer = await asked();
    expect(answer.status).toBe(error ? 400 : 200);
    if (error) expect(await answer.json()).toMatchObject(error);
  });

  it.each([
    [
      '/v1/chat/completions',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'a.b', arguments: '{}' } }] }] },
      `Invalid 'messages[0].tool_calls[0].function.name': ${PATTERN}`,
    ],
    [
      '/v1/responses',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'function_call', call_id: 'c', name: 'a.b', arguments: '{}' },
        ],
      },
      `Invalid 'input[1].name': ${PATTERN}`,
    ],
    [
      '/anthropic/v1/messages',
      {
        max_tokens: 9,
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: '', input: {} }] }],
      },
      'messages.0.content.0.tool_use.name: String should have at least 1 character',
    ],
    [
      '/anthropic/v1/messages',
      {
        max_tokens: 9,
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: nameOf(201), input: {} }] }],
      },
      'messages.0.content.0.tool_use.name: String should have at most 200 characters',
    ],
    [
      '/google/v1beta/models/instant:generateContent',
      { contents: [{ role: 'model', parts: [{ functionCall: { name: '', args: {} } }] }] },
      '* GenerateContentRequest.contents[0].parts[0].function_call.name: Name cannot be empty.\n',
    ],
  ])('has such tool names in its conversation: %s %j', async (path, body, message) => {
    const answer = await post(path, path.startsWith('/google') ? body : { model: 'instant', ...body }, {
      headers: { 'anthropic-version': '2023-06-01' },
    });
    expect([answer.status, ((await answer.json()) as any).error.message]).toEqual([400, message]);
  });

  it('is refused with the key "wrong", everywhere', async () => {
    const headers = { authorization: 'Bearer wrong' };
    expect((await ask('instant', {}, { headers })).status).toBe(401);
    expect((await fetch(`${simulator.url}/v1/models`, { headers })).status).toBe(401);
    expect((await fetch(`${simulator.url}/v1/models`, { headers: { authorization: 'Bearer right' } })).status).toBe(
      200,
    );
  });

  it('that breaks off in its body has no effect on others', async () => {
    await new Promise<void>((resolve) => {
      const half = httpRequest(`${simulator.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-length': 1000 },
      });
      half.on('error', () => resolve());
      half.write('{"model":', () => half.destroy(new Error('gone')));
    });
    expect((await ask('instant')).status).toBe(200);
  });
});

it('lists its models with descriptions, and knows every listed one', async () => {
  const { data } = await json(fetch(`${simulator.url}/v1/models`));
  await post('/control/models/*', { on: false });
  const chat = data.filter((model: any) => model.id !== 'embeddings');
  const statuses = await Promise.all(chat.map(async (model: any) => (await ask(`${model.id}@5:team1`)).status));
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(data.length).toBeGreaterThan(25);
  expect(data.every((model: any) => model.object === 'model' && model.description.length > 0)).toBe(true);
});
