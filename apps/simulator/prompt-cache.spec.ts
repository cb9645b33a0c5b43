import { MIN_CACHED_TOKENS, PromptCache } from './prompt-cache/prompt-cache.js';
import { createSimulator, type Simulator } from './server.js';

let simulator: Simulator;
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(() => simulator.close());

let instances = 0;
/** A model without earlier requests. */
const fresh = (base = 'perfect-ish') => `${base}:cached-${++instances}`;

/** A text of that many tokens. Texts with different names differ from the first character. */
const words = (tokens: number, name = 'a') => `${name} `.repeat(tokens * 4).slice(0, tokens * 4);
const CITY = 'What is the weather in Paris?';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const toolOf = (description: string) => ({ name: 'get_weather', description });

async function send(path: string, body: unknown): Promise<{ status: number; body: any }> {
  const answer = await fetch(simulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
const control = (path: string, body?: unknown): Promise<any> =>
  body === undefined
    ? fetch(`${simulator.url}/control/${path}`).then((answer) => answer.json())
    : send(`/control/${path}`, body).then((answer) => answer.body);
const ledgerOf = async (model: string) => (await control(`ledger?model=${model}`)).models[model];
const later = (seconds: number) => control('clock', { advance_s: seconds });

/** A request in a format, and the cache usage in its response. Each has 2,000 tokens before the question. */
interface Asked {
  system?: string;
  question?: string;
  tool?: string;
  more?: object;
}
const FORMATS = {
  chat: async (model: string, { system = words(2000), question = CITY, tool = 'Get the weather', more }: Asked = {}) =>
    (
      await send('/v1/chat/completions', {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: question },
        ],
        tools: [{ type: 'function', function: { ...toolOf(tool), parameters } }],
        ...more,
      })
    ).body.usage,
  responses: async (
    model: string,
    { system = words(2000), question = CITY, tool = 'Get the weather', more }: Asked = {},
  ) =>
    (
      await send('/v1/responses', {
        model,
        instructions: system,
        input: question,
        tools: [{ type: 'function', ...toolOf(tool), parameters }],
        ...more,
      })
    ).body.usage,
  google: async (
    model: string,
    { system = words(2000), question = CITY, tool = 'Get the weather', more }: Asked = {},
  ) =>
    (
      await send(`/google/v1beta/models/${model}:generateContent`, {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: 'user', parts: [{ text: question }] }],
        tools: [{ functionDeclarations: [{ ...toolOf(tool), parameters }] }],
        ...more,
      })
    ).body.usageMetadata,
};
const CACHED = {
  chat: (usage: any) => usage.prompt_tokens_details.cached_tokens,
  responses: (usage: any) => usage.input_tokens_details.cached_tokens,
  google: (usage: any) => usage.cachedContentTokenCount ?? 0,
};
const cachedIn = async (model: string, asked?: Asked) => CACHED.chat(await FORMATS.chat(model, asked));

describe.each(['chat', 'responses', 'google'] as const)('the prompt cache of %s', (format) => {
  const cached = async (model: string, asked?: Asked) => CACHED[format](await FORMATS[format](model, asked));

  it('misses a new prompt, and hits the common prefix of a similar one, in steps of 128 tokens', async () => {
    const model = fresh();
    expect(await cached(model)).toBe(0);
    const again = await cached(model);
    expect(again).toBeGreaterThanOrEqual(2000);
    expect(again % 128).toBe(0);
    const other = await cached(model, { question: 'What is the weather in Rome?' });
    expect(other).toBeGreaterThan(again - 128);
    const lastCharacter = await cached(model, { system: `${words(2000).slice(0, -1)}!` });
    expect(lastCharacter).toBeGreaterThan(2000 - 128);
    expect(lastCharacter).toBeLessThanOrEqual(again);
    expect(await cached(model, { system: `!${words(2000).slice(1)}` })).toBe(0);
  });

  it('misses a prompt with other tools, and a short one', async () => {
    const model = fresh();
    await cached(model);
    expect(await cached(model, { tool: 'Get the weather today' })).toBe(0);
    for (let time = 0; time < 2; time++) expect(await cached(model, { system: words(900, 'short') })).toBe(0);
  });

  it('forgets a prompt that was not used for five minutes', async () => {
    const model = fresh();
    await cached(model);
    await later(290);
    expect(await cached(model)).toBeGreaterThan(0);
    await later(290);
    expect(await cached(model)).toBeGreaterThan(0);
    await later(300);
    expect(await cached(model)).toBe(0);
  });
});

it('does not change the token count of a prompt, and leaves one token uncached', async () => {
  const model = fresh();
  const first = await FORMATS.chat(model);
  const second = await FORMATS.chat(model);
  expect(second).toMatchObject({ prompt_tokens: first.prompt_tokens, total_tokens: first.total_tokens });
  expect(CACHED.chat(second)).toBeLessThan(second.prompt_tokens);
});

it('Google leaves out zero counts', async () => {
  const model = fresh();
  expect(await FORMATS.google(model)).not.toHaveProperty('cachedContentTokenCount');
  const usage = await FORMATS.google(model);
  expect(usage).not.toHaveProperty('thoughtsTokenCount');
  expect(usage.cachedContentTokenCount).toBeLessThan(usage.promptTokenCount);
});

it.each([1023, 1024, 1025, 1151, 1152, 1153, 1279, 1280, 1281])(
  'a prompt of %d tokens is cached in whole steps from 1,024 on',
  async (tokens) => {
    const model = fresh();
    const bodyOf = (content: string) => JSON.stringify({ messages: [{ role: 'user', content }], model });
    const body = bodyOf(words(tokens - Math.ceil(bodyOf('').length / 4)));
    await send('/v1/chat/completions', body);
    const { usage } = (await send('/v1/chat/completions', body)).body;
    expect(usage.prompt_tokens).toBe(tokens);
    // The prompt's text is slightly shorter than the body.
    const prompt = tokens - Math.ceil(`{"messages":,"model":"${model}"}`.length / 4);
    const steps = Math.floor(prompt / 128) * 128;
    expect(CACHED.chat(usage)).toBe(steps < MIN_CACHED_TOKENS ? 0 : steps);
  },
);

it('a longer conversation hits its earlier messages', async () => {
  const model = fresh();
  const messages = [
    { role: 'system', content: words(1500) },
    { role: 'user', content: CITY },
  ];
  const ask = async (more: object[]) =>
    CACHED.chat((await send('/v1/chat/completions', { model, messages: [...messages, ...more] })).body.usage);
  expect(await ask([])).toBe(0);
  const answer = { role: 'assistant', content: words(400, 'b') };
  expect(await ask([answer, { role: 'user', content: 'And in Rome?' }])).toBeGreaterThanOrEqual(1408);
  const third = [answer, { role: 'user', content: 'And in Rome?' }, { role: 'assistant', content: 'Sunny.' }];
  expect(await ask([...third, { role: 'user', content: 'Thanks.' }])).toBeGreaterThanOrEqual(1792);
});

it('each prompt_cache_key, model and format has its own cache', async () => {
  const model = fresh();
  for (const key of ['mine', 'yours', '__proto__', 'constructor', '', 'toString']) {
    const more = { prompt_cache_key: key };
    expect([key, await cachedIn(model, { more })]).toEqual([key, 0]);
    expect(await cachedIn(model, { more })).toBeGreaterThan(0);
  }
  expect(await cachedIn(fresh())).toBe(0);
  expect(CACHED.responses(await FORMATS.responses(model))).toBe(0);
  expect(CACHED.google(await FORMATS.google(model))).toBe(0);
});

it('prompt_cache_retention keeps a prompt for a day', async () => {
  const model = fresh();
  await cachedIn(model, { more: { prompt_cache_retention: '24h' } });
  await later(23 * 3600);
  expect(await cachedIn(model)).toBeGreaterThan(0);
  await later(23 * 3600);
  expect(await cachedIn(model)).toBeGreaterThan(0);
  await later(24 * 3600);
  expect(await cachedIn(model)).toBe(0);
});

it.each([
  [{ prompt_cache_key: 5 }, "Invalid type for 'prompt_cache_key': expected a string, but got an integer instead."],
  [{ prompt_cache_key: ['x'] }, 'but got an array instead'],
  [{ prompt_cache_key: { toString: 1 } }, 'but got an object instead'],
  [{ prompt_cache_key: false }, 'but got a boolean instead'],
  [{ prompt_cache_key: 'x'.repeat(65) }, 'string too long. Expected a string with maximum length 64'],
  [{ prompt_cache_retention: '1h' }, "Invalid value: '1h'. Supported values are: 'in_memory' and '24h'."],
  [{ prompt_cache_retention: { '24h': true } }, 'Invalid value: \'{"24h":true}\''],
])("refuses %j with OpenAI's message", async (more, said) => {
  const chat = { model: fresh(), messages: [{ role: 'user', content: CITY }], ...more };
  const responses = { model: fresh(), input: CITY, ...more };
  for (const [path, body] of Object.entries({ '/v1/chat/completions': chat, '/v1/responses': responses })) {
    const answer = await send(path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(said) } } });
  }
});

describe('the prompt cache of Anthropic', () => {
  const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
  const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
  const tool = (description: string, more: object = {}) => ({
    name: 'get_weather',
    description,
    input_schema: parameters,
    ...more,
  });
  const user = (...content: object[]) => ({ role: 'user', content });
  const post = (model: string, more: object) =>
    send('/anthropic/v1/messages', { model, max_tokens: 500, messages: [user(text(CITY))], ...more });
  const usageOf = async (model: string, more: object) => (await post(model, more)).body.usage;
  /** Tokens read, written for five minutes, written for an hour. */
  const cacheIn = async (model: string, more: object) => {
    const usage = await usageOf(model, more);
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
    expect(usage.cache_creation_input_tokens).toBe(short + long);
    return [usage.cache_read_input_tokens, short, long];
  };

  it('caches nothing without a mark or below 1,024 tokens', async () => {
    const model = fresh();
    for (let time = 0; time < 2; time++) {
      expect(await cacheIn(model, { system: [text(words(2000))] })).toEqual([0, 0, 0]);
      expect(await cacheIn(model, { system: [text(words(900), mark())] })).toEqual([0, 0, 0]);
    }
  });

  it('writes up to the last mark, reads it the next time, and counts the rest as input', async () => {
    const model = fresh();
    const asked = { system: [text(words(2000), mark())] };
    const first = await usageOf(model, asked);
    expect(first.cache_creation_input_tokens).toBeGreaterThan(2000);
    expect(first.input_tokens).toBeLessThan(100);
    const second = await usageOf(model, asked);
    expect(second).toMatchObject({
      input_tokens: first.input_tokens,
      cache_read_input_tokens: first.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
    });
    expect(await cacheIn(model, { system: [text(`${words(2000)}!`, mark())] })).toEqual([0, expect.any(Number), 0]);
  });

  it('a mark that moves along with a conversation hits what was written up to the previous one', async () => {
    const model = fresh();
    const system = [text(words(2000))];
    const first = user(text(CITY, mark()));
    const [, written] = await cacheIn(model, { system, messages: [first] });
    const second = [
      { role: 'user', content: CITY },
      { role: 'assistant', content: 'Sunny.' },
      user(text('Rome?', mark())),
    ];
    const [read, more, hour] = await cacheIn(model, { system, messages: second });
    expect([read, hour]).toEqual([written, 0]);
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThan(100);
  });

  it('looks for cached prefixes in the 20 blocks up to a mark', async () => {
    const model = fresh();
    const blocks = (count: number) => Array.from({ length: count }, (_, index) => text(`Note ${index}.`));
    const system = (count: number) => [text(words(2000)), ...blocks(count), text('The end.', mark())];
    await cacheIn(model, { system: [text(words(2000), mark())] });
    const [read, written] = await cacheIn(model, { system: system(18) });
    expect([read! > 2000, written! > 0]).toEqual([true, true]);
    const other = fresh();
    await cacheIn(other, { system: [text(words(2000), mark())] });
    expect(await cacheIn(other, { system: system(19) })).toEqual([0, expect.any(Number), 0]);
  });

  it('separates five minutes and an hour, and renews used entries', async () => {
    const model = fresh();
    const asked = {
      tools: [tool(words(1500), mark('1h'))],
      system: [text(words(1000, 'b'), mark())],
    };
    const [none, short, long] = await cacheIn(model, asked);
    expect([none, short > 1000, long > 1500]).toEqual([0, true, true]);
    const whole = short + long;
    await later(290);
    expect(await cacheIn(model, asked)).toEqual([whole, 0, 0]);
    await later(290);
    expect(await cacheIn(model, asked)).toEqual([whole, 0, 0]);
    await later(301);
    expect(await cacheIn(model, asked)).toEqual([long, short, 0]);
    await later(3590);
    expect(await cacheIn(model, asked)).toEqual([long, short, 0]);
    await later(3600);
    expect(await cacheIn(model, asked)).toEqual([0, short, long]);
  });

  it('other tools invalidate everything, a system prompt all but the tools, a choice only the messages', async () => {
    const model = fresh();
    const asked = (more: object = {}) => ({
      tools: [tool(words(1200), mark())],
      system: [text(words(1200, 'b'), mark())],
      messages: [user(text(words(1200, 'c'), mark()), text(CITY))],
      ...more,
    });
    const [, all] = await cacheIn(model, asked());
    const [tools] = await cacheIn(model, asked({ system: [text(words(1200, 'd'), mark())] }));
    expect(tools).toBeGreaterThan(1200);
    expect(tools).toBeLessThan(1300);
    const [system, again] = await cacheIn(model, asked({ tool_choice: { type: 'any' } }));
    expect(system + again).toBe(all);
    expect(again).toBeGreaterThan(1200);
    expect(system).toBeGreaterThan(2400);
    expect(await cacheIn(model, asked({ tools: [tool(words(1200, 'e'), mark())] }))).toEqual([0, all, 0]);
    expect(await cacheIn(model, asked())).toEqual([all, 0, 0]);
  });

  it('a mark may be on any of the tools', async () => {
    const model = fresh();
    const tools = (marked: number[]) =>
      ['a', 'b', 'c'].map((name, index) => ({
        ...tool(words(1100, name), marked.includes(index) ? mark() : {}),
        name,
      }));
    const [, two] = await cacheIn(model, { tools: tools([1]) });
    expect(await cacheIn(model, { tools: tools([1]), ...mark() })).toEqual([two, expect.any(Number), 0]);
    const [read, third] = await cacheIn(fresh(), { tools: tools([1]), ...mark() });
    expect([read, third! > 3300]).toEqual([0, true]);
    expect(await cacheIn(model, { tools: tools([2]) })).toEqual([two, expect.any(Number), 0]);
  });

  it('a mark on the request marks its last block, and has no effect with the same mark on the block', async () => {
    const model = fresh();
    const messages = [user(text(words(2000)))];
    const [, written] = await cacheIn(model, { messages, ...mark() });
    expect(written).toBeGreaterThan(2000);
    expect(await cacheIn(model, { messages, ...mark() })).toEqual([written, 0, 0]);
    expect(await cacheIn(model, { messages: [user(text(words(2000), mark()))], ...mark() })).toEqual([written, 0, 0]);
  });

  it('null marks are ignored, and four marks are accepted', async () => {
    const model = fresh();
    const blocks = [1, 2, 3, 4].map((n) => text(words(1100, String(n)), mark()));
    const [, written] = await cacheIn(model, { system: blocks, cache_control: null });
    expect(written).toBeGreaterThan(4400);
    const fewer = await cacheIn(model, {
      system: blocks.slice(0, 2),
      messages: [user(text(CITY, { cache_control: null }))],
    });
    expect(fewer).toEqual([expect.any(Number), 0, 0]);
    expect(fewer[0]).toBeGreaterThan(2200);
  });

  const LATE = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks";
  it.each<[string, object, string]>([
    [
      'five marks',
      { system: [1, 2, 3, 4, 5].map(() => text('x', mark())) },
      'A maximum of 4 blocks with cache_control',
    ],
    [
      'a thousand marks',
      { messages: [user(...Array.from({ length: 1000 }, () => text('x', mark())))] },
      'may be provided. Found 1000.',
    ],
    [
      'four marks and one of the request',
      { system: [1, 2, 3, 4].map(() => text('x', mark())), ...mark() },
      'may be provided. Found 5.',
    ],
    [
      'an hour after five minutes',
      { tools: [tool('x', mark())], system: [text('x', mark('1h'))] },
      `system.0.cache_control.ttl: ${LATE}`,
    ],
    [
      'an hour after five minutes in messages',
      {
        messages: [
          user(text('x', mark('1h')), text('y', mark())),
          { role: 'assistant', content: [text('z', mark('1h'))] },
        ],
      },
      `messages.1.content.0.cache_control.ttl: ${LATE}`,
    ],
    [
      'an invalid time',
      { system: [text('x', mark('2h'))] },
      "system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      'a number for a time',
      { messages: [user(text('x', { cache_control: { type: 'ephemeral', ttl: 3600 } }))] },
      "messages.0.content.0.text.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      'another type',
      { tools: [tool('x', { cache_control: { type: 'persistent' } })] },
      "tools.0.custom.cache_control: Input tag 'persistent' found using 'type' does not match any of the expected tags",
    ],
    [
      'a type that is not a string',
      { system: [text('x', { cache_control: { type: { __proto__: null, x: 1 } } })] },
      'does not match any of the expected tags',
    ],
    [
      'a mark on a block without a type that is a text',
      { messages: [user({ type: { toString: 1 }, cache_control: { type: 'ephemeral', ttl: '' } })] },
      'messages.0.content.0.{"toString":1}.cache_control.ephemeral.ttl: Input should be',
    ],
    ['no type', { cache_control: {} }, "cache_control: Unable to extract tag using discriminator 'type'"],
    [
      'a text for a mark',
      { cache_control: 'ephemeral' },
      'cache_control: Input should be a valid dictionary or object',
    ],
    ['a list for a mark', { system: [text('x', { cache_control: [] })] }, 'system.0.cache_control: Input should be'],
    ['true for a mark', { system: [text('x', { cache_control: true })] }, 'system.0.cache_control: Input should be'],
    [
      'another field in a mark',
      { cache_control: { type: 'ephemeral', scope: 'global' } },
      'cache_control.ephemeral.scope: Extra inputs are not permitted',
    ],
    [
      'a mark on an empty text',
      { messages: [user(text('', mark()))] },
      'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
    ],
    [
      'a mark on a thought',
      {
        messages: [user(text('x')), { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', ...mark() }] }],
      },
      'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    ],
    ['two marks on one block', { messages: [user(text('x', mark('1h')))], ...mark('5m') }, 'cache_control.ttl: '],
  ])('refuses %s with its message', async (_what, more, said) => {
    expect(await post(fresh(), more)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: expect.stringContaining(said) } },
    });
  });
});

describe('the ledger', () => {
  const PRICES = { input: 3, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: 6, output: 15 };
  const nothing = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: null };

  it('is the sum of the usage of all complete replies, even with concurrent requests', async () => {
    const model = fresh();
    await control(`prices/${model}`, PRICES);
    const usages = await Promise.all(
      Array.from({ length: 40 }, (_, n) => FORMATS.chat(model, { question: `${CITY} (${n % 20})` })),
    );
    const sum = (count: (usage: any) => number) => usages.reduce((total, usage) => total + count(usage), 0);
    const read = sum(CACHED.chat);
    expect(read).toBeGreaterThan(39 * 1920);
    const ledger = await ledgerOf(model);
    expect(ledger).toMatchObject({
      requests: 40,
      prompt_tokens: sum((usage) => usage.prompt_tokens),
      completion_tokens: sum((usage) => usage.completion_tokens),
      cache_read_tokens: read,
      cache_write_5m_tokens: 0,
      reasoning_tokens: 0,
    });
    const millionths = (ledger.prompt_tokens - read) * 30 + read * 3 + ledger.completion_tokens * 150;
    expect(ledger.cost_usd).toBe(millionths / 10_000_000);
  });

  it("counts Anthropic's cache writes at their prices", async () => {
    const model = fresh();
    await control(`prices/${model}`, PRICES);
    const body = {
      model,
      max_tokens: 500,
      system: [
        { type: 'text', text: words(1500), cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: words(500), cache_control: { type: 'ephemeral' } },
      ],
      messages: [{ role: 'user', content: CITY }],
    };
    const { usage: first } = (await send('/anthropic/v1/messages', body)).body;
    const { usage: second } = (await send('/anthropic/v1/messages', body)).body;
    const ledger = await ledgerOf(model);
    expect(ledger).toMatchObject({
      prompt_tokens:
        first.input_tokens + first.cache_creation_input_tokens + second.input_tokens + second.cache_read_input_tokens,
      cache_read_tokens: second.cache_read_input_tokens,
      cache_write_5m_tokens: first.cache_creation.ephemeral_5m_input_tokens,
      cache_write_1h_tokens: first.cache_creation.ephemeral_1h_input_tokens,
    });
    const cents =
      (first.input_tokens + second.input_tokens) * 300 +
      second.cache_read_input_tokens * 30 +
      first.cache_creation.ephemeral_5m_input_tokens * 375 +
      first.cache_creation.ephemeral_1h_input_tokens * 600 +
      ledger.completion_tokens * 1500;
    expect(ledger.cost_usd).toBe(cents / 100_000_000);
  });

  it('prices may change at any time and apply from then on; without them the cost is unknown', async () => {
    const model = fresh('instant');
    const usage = async () => FORMATS.chat(model, { system: 'Be brief.' });
    await usage();
    expect((await ledgerOf(model)).cost_usd).toBeNull();
    await control(`prices/${model}`, { input: 0.000001, output: 0 });
    const { prompt_tokens: tokens } = await usage();
    expect((await ledgerOf(model)).cost_usd).toBe(Number(`${tokens}e-12`));
    await control(`prices/${model}`, { input: 1_000_000, output: 0 });
    await usage();
    expect((await ledgerOf(model)).cost_usd).toBe(Number(`${tokens}.${String(tokens).padStart(12, '0')}`));
  });

  it.each([
    [{ input: 3 }, '"output" must be a number of dollars per million tokens'],
    [{ input: -1, output: 1 }, '"input" must be a number of dollars'],
    [{ input: 0.1234567, output: 1 }, 'with at most 6 decimals'],
    [{ input: '3', output: 1 }, '"input" must be a number'],
    [{ input: 1e300, output: 1 }, '"input" must be a number'],
    [{ input: 3, output: 1, cache: 1 }, 'has no field "cache"'],
    [[], 'must be an object'],
  ])('refuses prices such as %j', async (body, said) => {
    expect((await control('prices/perfect-ish', body)).error.message).toContain(said);
    expect((await control('prices/nobody', PRICES)).error.message).toContain('does not exist');
  });

  it('excludes errors, resets, partial replies and posted usage', async () => {
    const flaky = fresh('flaky-100');
    const chat = (model: string) =>
      fetch(`${simulator.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model, messages: [{ role: 'user', content: CITY }] }),
      })
        .then((answer) => answer.text())
        .catch(() => '');
    for (let n = 0; n < 12; n++) await chat(flaky);
    expect(await ledgerOf(flaky)).toMatchObject(nothing);
    await control('scripted/ledger', {
      replies: [
        { content: 'x', usage: { prompt_tokens: 7 } },
        { status: 429 },
        { body: '{}' },
        { status: 201, content: 'x' },
        { content: 'counted' },
      ],
    });
    for (let n = 0; n < 5; n++) await chat('scripted:ledger');
    expect(await ledgerOf('scripted:ledger')).toMatchObject({ requests: 1 });
  });

  it('lists models, and their total', async () => {
    const one = await control('ledger');
    await FORMATS.chat(fresh('instant'));
    const { models, total } = await control('ledger');
    expect(total.requests).toBe(one.total.requests + 1);
    expect(Object.values(models).reduce((sum: number, { requests }: any) => sum + requests, 0)).toBe(total.requests);
    expect(await control('ledger?model=__proto__')).toMatchObject({ total: nothing });
  });
});

describe('usage in the format of a host', () => {
  const long = words(2000);
  const ask = async (model: string, more: object = {}) => {
    const messages = [
      { role: 'system', content: long },
      { role: 'user', content: CITY },
    ];
    return (await send('/v1/chat/completions', { model, messages, ...more })).body.usage;
  };
  const twice = async (model: string, more?: object) => {
    await ask(model, more);
    return ask(model, more);
  };

  it('DeepSeek counts hits and misses, and thoughts in the completion', async () => {
    const model = fresh('host:deepseek');
    const usage = await twice(model);
    expect(usage.prompt_cache_hit_tokens).toBeGreaterThan(0);
    expect(usage.prompt_cache_hit_tokens + usage.prompt_cache_miss_tokens).toBe(usage.prompt_tokens);
    const { reasoning_tokens: thought } = usage.completion_tokens_details;
    expect(thought).toBeGreaterThan(0);
    const plain = await ask(model, { thinking: { type: 'disabled' } });
    expect(plain.completion_tokens).toBe(usage.completion_tokens - thought);
    expect(plain.completion_tokens_details).toBeUndefined();
  });

  it('Groq and Mistral report less than OpenAI, and hosts without a cache report nothing', async () => {
    const groq = fresh('host:groq');
    expect(await ask(groq)).not.toHaveProperty('prompt_tokens_details');
    expect((await ask(groq)).prompt_tokens_details.cached_tokens).toBeGreaterThan(0);
    expect((await twice(fresh('host:mistral'))).prompt_tokens_details.cached_tokens).toBeGreaterThan(0);
    for (const host of ['ollama', 'lmstudio', 'vllm']) {
      const model = fresh(`host:${host}`);
      const { prompt_tokens_details: details } = await twice(model);
      expect([host, details ?? null]).toEqual([host, null]);
      expect(await ledgerOf(model)).toMatchObject({ requests: 2, cache_read_tokens: 0 });
    }
  });

  it('Kimi has cached_tokens at the root', async () => {
    const usage = await twice(fresh('host:kimi'));
    expect(usage.cached_tokens).toBeGreaterThan(0);
    expect(usage.prompt_tokens_details).toBeUndefined();
  });

  it('OpenRouter reports the cost if there are prices', async () => {
    const model = fresh('host:openrouter');
    expect(await ask(model)).not.toHaveProperty('cost');
    await control(`prices/${model}`, { input: 2.5, cache_read: 1.25, output: 10 });
    const usage = await ask(model);
    const { cached_tokens: cached } = usage.prompt_tokens_details;
    expect(cached).toBeGreaterThan(0);
    const prompt = (usage.prompt_tokens - cached) * 250 + cached * 125;
    expect(usage.cost).toBe((prompt + usage.completion_tokens * 1000) / 100_000_000);
    expect(usage.cost_details.upstream_inference_prompt_cost).toBe(prompt / 100_000_000);
    expect((await ledgerOf(model)).cost_usd).toBe(usage.cost);
  });

  it('xAI counts thoughts in the total only, Google next to its candidates, OpenAI in the completion', async () => {
    const grok = fresh('host:xai');
    const xai = await ask(grok);
    const { reasoning_tokens: thought } = xai.completion_tokens_details;
    expect(xai.total_tokens).toBe(xai.prompt_tokens + xai.completion_tokens + thought);
    expect(await ledgerOf(grok)).toMatchObject({
      completion_tokens: xai.completion_tokens + thought,
      reasoning_tokens: thought,
    });
    const gemini = fresh('host:google');
    const google = await FORMATS.google(gemini);
    expect(google.totalTokenCount).toBe(
      google.promptTokenCount + google.candidatesTokenCount + google.thoughtsTokenCount,
    );
    expect(await ledgerOf(gemini)).toMatchObject({
      completion_tokens: google.candidatesTokenCount + google.thoughtsTokenCount,
      reasoning_tokens: google.thoughtsTokenCount,
    });
    const openai = await ask(fresh('host:openai'));
    expect(openai.completion_tokens).toBeGreaterThan(openai.completion_tokens_details.reasoning_tokens);
    expect(openai.total_tokens).toBe(openai.prompt_tokens + openai.completion_tokens);
  });
});

describe('the clock', () => {
  it.each([[0], [-1], ['60'], [null], [1e12], [{}], [Number.MAX_VALUE]])('cannot be moved by %j', async (seconds) => {
    expect((await control('clock', { advance_s: seconds })).error.message).toContain('"advance_s" must be');
  });

  it('is reset with the caches, prices and the ledger', async () => {
    const own = createSimulator();
    await own.listen(0, '127.0.0.1');
    const all = simulator;
    simulator = own;
    try {
      expect(await later(60)).toEqual({ ahead_s: 60 });
      expect(await later(0.5)).toEqual({ ahead_s: 60.5 });
      await control('prices/perfect-ish', { input: 1, output: 1 });
      await cachedIn('perfect-ish');
      expect(await cachedIn('perfect-ish')).toBeGreaterThan(0);
      await control('reset', {});
      expect((await control('ledger')).models).toEqual({});
      expect(await cachedIn('perfect-ish')).toBe(0);
      expect((await ledgerOf('perfect-ish')).cost_usd).toBeNull();
      expect(await later(1)).toEqual({ ahead_s: 1 });
    } finally {
      simulator = all;
      await own.close();
    }
  });
});

it('a prompt that is nested too deeply to serialise is not cached', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = `{"model":"${fresh()}","messages":[{"role":"user","content":"${words(1500)}","more":${deep}}]}`;
  for (let time = 0; time < 2; time++) {
    const { status, body: reply } = await send('/v1/chat/completions', body);
    expect([status, CACHED.chat(reply.usage)]).toEqual([200, 0]);
  }
});

it('a cache is bounded, and evicts the least recently used entry', () => {
  const cache = new PromptCache(3);
  for (const key of ['a', 'b', 'c']) cache.keep(key, 0, 1000);
  cache.keep('a', 1, 1000);
  cache.keep('d', 2, 1000);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.ttlOf(key, 3) !== undefined)).toEqual(['a', 'c', 'd']);
  expect(cache.size).toBe(3);
  expect(cache.ttlOf('c', 1000)).toBeUndefined();
  expect(cache.size).toBe(2);
});
