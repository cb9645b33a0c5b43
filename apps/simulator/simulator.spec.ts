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
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, units: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
        required: ['city'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'send_email',
      description: 'Send an e-mail',
      parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    },
  },
];
const ask = (model: string, content = 'What is the weather in Tokyo in Fahrenheit?', more: object = {}) =>
  fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], tools, tool_choice: 'required', ...more }),
  });
const message = async (model: string, content?: string, more?: object): Promise<any> =>
  ((await (await ask(model, content, more)).json()) as any).choices[0].message;
const control = (path: string, body?: unknown) =>
  fetch(`${simulator.url}/control/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? undefined : JSON.stringify(body),
  }).then((answer) => answer.json() as Promise<any>);

describe('a simulated model behaves as its name says', () => {
  it('perfect-ish calls the best tool with arguments from the prompt, or none if none fits', async () => {
    const { name, arguments: args } = (await message('perfect-ish')).tool_calls[0].function;
    expect([name, JSON.parse(args)]).toEqual(['get_weather', { city: 'Tokyo', units: 'fahrenheit' }]);
    const silent = await message('perfect-ish', 'Thank you, that was all.', { tool_choice: 'auto' });
    expect(silent.tool_calls).toBeUndefined();
    expect(silent.content).toEqual(expect.any(String));
  });

  it.each([
    ['wrong-tool', (reply: any) => reply.tool_calls[0].function.name !== 'get_weather'],
    ['text-only', (reply: any) => !reply.tool_calls && reply.content.length > 0],
    ['json-in-name', (reply: any) => JSON.parse(reply.tool_calls[0].function.name).name === 'get_weather'],
    ['json-in-content', (reply: any) => !reply.tool_calls && reply.content.includes('get_weather')],
    ['double-encoded', (reply: any) => typeof JSON.parse(reply.tool_calls[0].function.arguments) === 'string'],
    ['parallel', (reply: any) => reply.tool_calls.length > 1],
    ['unknown-tool', (reply: any) => !tools.some((tool) => tool.function.name === reply.tool_calls[0].function.name)],
    [
      'malformed-json',
      (reply: any) => {
        try {
          JSON.parse(reply.tool_calls[0].function.arguments);
          return false;
        } catch {
          return true;
        }
      },
    ],
  ])('%s', async (model, holds) => {
    expect(holds(await message(model))).toBe(true);
  });

  it('no-required refuses tool_choice "required" and takes "auto"', async () => {
    const refused = await ask('no-required');
    expect([refused.status, JSON.stringify(await refused.json())]).toEqual([400, expect.stringMatching(/tool_choice/)]);
    expect((await ask('no-required', undefined, { tool_choice: 'auto' })).status).toBe(200);
  });

  it('limited-<rpm> answers 429 with Retry-After beyond its limit', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask('limited-2', `Weather in Paris ${n}`)));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused[0]!.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  it('flaky-<percent> fails, and succeeds after enough retries', async () => {
    let failures = 0;
    for (let n = 0; n < 30; n++) {
      for (;;) {
        const ok = await ask('flaky-50', `Weather in Paris ${n}`)
          .then((answer) => answer.json().then(() => answer.ok))
          .catch(() => false);
        if (ok) break;
        failures++;
      }
    }
    expect(failures).toBeGreaterThan(5);
  });

  it('scripted returns the posted reply', async () => {
    await control('scripted/mine', {
      replies: [
        { role: 'assistant', content: 'first' },
        { role: 'assistant', content: 'second' },
      ],
    });
    expect((await message('scripted:mine')).content).toBe('first');
    expect((await message('scripted:mine')).content).toBe('second');
  });

  it('the same seed gives the same answer', async () => {
    const called = async () => (await message('careless-arguments')).tool_calls[0].function;
    expect(await called()).toEqual(await called());
  });
});

it('a model can be switched off and on, and requests are counted', async () => {
  await control('models/perfect-ish', { on: false });
  expect((await ask('perfect-ish')).status).toBe(503);
  await control('models/perfect-ish', { on: true });
  expect((await ask('perfect-ish')).status).toBe(200);
  expect((await control('stats')).models['perfect-ish'].requests).toBe(2);
});

it('embeddings of similar texts are similar', async () => {
  const embed = async (input: string): Promise<number[]> =>
    (
      (await (
        await fetch(`${simulator.url}/v1/embeddings`, {
          method: 'POST',
          body: JSON.stringify({ model: 'embeddings', input }),
        })
      ).json()) as any
    ).data[0].embedding;
  const cosine = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const [one, near, far] = [
    await embed('the weather in Paris'),
    await embed('weather in Paris'),
    await embed('cancel my order'),
  ];
  expect(cosine(one, near)).toBeGreaterThan(cosine(one, far));
});

describe('prompt-sensitive', () => {
  const QUESTIONS = 100;
  const question = (n: number) => `What is the weather in ${['Tokyo', 'Paris', 'Lima', 'Oslo'][n % 4]}? (${n})`;
  const rightCall = (n: number) => ({ name: 'get_weather', city: ['Tokyo', 'Paris', 'Lima', 'Oslo'][n % 4] });
  /** The questions, of 100, that the model gets right. Each is asked once. */
  const right = async (model: string, system = 'Be brief.', more: object = {}): Promise<number[]> => {
    const found: number[] = [];
    for (let n = 0; n < QUESTIONS; n++) {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: question(n) },
      ];
      const call = (await message(model, undefined, { messages, ...more })).tool_calls[0].function;
      const called = { name: call.name, city: JSON.parse(call.arguments).city };
      if (JSON.stringify(called) === JSON.stringify(rightCall(n))) found.push(n);
    }
    return found;
  };
  const rule = (phrase: string, gain: number, more: object = {}) => ({ phrase, where: 'system', gain, ...more });
  const post = (id: string, body: object) => control(`prompt-sensitive/${id}`, body);

  it('gets more right with a helpful phrase, fewer with a harmful one, and the same with others', async () => {
    const rules = [rule('think first', 0.3), rule('HURRY', -0.2)];
    expect(await post('one', { base: 0.4, rules })).toEqual({ model: 'prompt-sensitive:one' });
    const base = await right('prompt-sensitive:one');
    expect(base.length / QUESTIONS).toBeGreaterThan(0.3);
    expect(base.length / QUESTIONS).toBeLessThan(0.5);
    expect(await right('prompt-sensitive:one', 'Be polite.')).toEqual(base);

    const better = await right('prompt-sensitive:one', 'Be brief. Think first.');
    expect(better).toEqual(expect.arrayContaining(base));
    expect((better.length - base.length) / QUESTIONS).toBeGreaterThan(0.2);
    const worse = await right('prompt-sensitive:one', 'Be brief, hurry.');
    expect(base).toEqual(expect.arrayContaining(worse));
    expect((base.length - worse.length) / QUESTIONS).toBeGreaterThan(0.1);
  });

  it('also reads tool descriptions, and rules can apply to some prompts only', async () => {
    const described = (of: string) => ({
      tools: tools.map((tool) =>
        tool.function.name === of
          ? { ...tool, function: { ...tool.function, description: `${tool.function.description}. Current only.` } }
          : tool,
      ),
    });
    await post('two', { base: 0.2, rules: [rule('current only', 0.8, { where: 'tools/get_weather', when: 'tokyo' })] });
    const base = await right('prompt-sensitive:two');
    expect(await right('prompt-sensitive:two', 'Current only.')).toEqual(base);
    expect(await right('prompt-sensitive:two', undefined, described('send_email'))).toEqual(base);
    const more = await right('prompt-sensitive:two', undefined, described('get_weather'));
    const tokyo = Array.from({ length: QUESTIONS / 4 }, (_, n) => 4 * n);
    expect(more).toEqual([...new Set([...base, ...tokyo])].sort((a, b) => a - b));

    await post('three', { base: 0.2, rules: [rule('current only', 0.8, { where: 'any' })] });
    expect(await right('prompt-sensitive:three', undefined, described('send_email'))).toHaveLength(QUESTIONS);
    expect(await right('prompt-sensitive:three', 'current ONLY')).toHaveLength(QUESTIONS);
  });

  const system = 'Think first.';
  const model = 'prompt-sensitive:formats';
  const messages = [{ role: 'user', content: question(0) }];
  const functions = tools.map((tool) => tool.function);
  it.each([
    [
      '/v1/responses',
      { model, instructions: system, input: messages, tools: functions.map((own) => ({ type: 'function', ...own })) },
    ],
    [
      '/anthropic/v1/messages',
      {
        model,
        system,
        messages,
        max_tokens: 99,
        tools: functions.map(({ parameters, ...own }) => ({ ...own, input_schema: parameters })),
      },
    ],
    [
      `/google/v1beta/models/${model}:generateContent`,
      {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: 'user', parts: [{ text: question(0) }] }],
        tools: [{ functionDeclarations: functions }],
      },
    ],
  ])('reads system messages in the format of %s', async (path, body) => {
    await post('formats', { base: 0, rules: [rule('think first', 1)] });
    const answer = await fetch(simulator.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    });
    expect(await answer.text()).toMatch(/"get_weather"[^]*Tokyo\\*"/);
  });

  it('gets worse when its prompts are too long', async () => {
    await post('long', { base: 1, too_long: { chars: 500, loss: 1 } });
    expect(await right('prompt-sensitive:long')).toHaveLength(QUESTIONS);
    expect(await right('prompt-sensitive:long', 'x'.repeat(500))).toEqual([]);
  });

  it('draws samples independently of the prompt, and others with another seed', async () => {
    const rules = [rule('think first', 0.3)];
    await post('a', { base: 0.5, rules });
    const samples = [await right('prompt-sensitive:a'), await right('prompt-sensitive:a')];
    expect(samples[0]).not.toEqual(samples[1]);
    const again = [await right('prompt-sensitive:a', 'Polite.'), await right('prompt-sensitive:a', 'Polite.')];
    expect(again).toEqual(samples);
    const better = await right('prompt-sensitive:a', 'Think first.');
    expect(better).toEqual(expect.arrayContaining(samples[0]!));

    await post('b', { base: 0.5, rules });
    expect(await right('prompt-sensitive:b')).toEqual(samples[0]);
    await post('c', { base: 0.5, rules, seed: 1 });
    const others = await right('prompt-sensitive:c');
    const both = others.filter((n) => samples[0]!.includes(n)).length;
    expect(both / QUESTIONS).toBeGreaterThan(0.15);
    expect(both / QUESTIONS).toBeLessThan(0.35);
  });

  it('starts again when its rules are posted again, and explains how to post missing ones', async () => {
    const without = await ask('prompt-sensitive:new');
    expect(without.status).toBe(400);
    expect(((await without.json()) as any).error.message).toContain('/control/prompt-sensitive/');
    await post('new', { base: 0.5 });
    const first = await right('prompt-sensitive:new');
    await post('prompt-sensitive:new', { base: 0.5 });
    expect(await right('prompt-sensitive:new')).toEqual(first);
  });

  it.each([
    [{}, '"base" must be a number from 0 to 1.'],
    [{ base: 2 }, '"base" must be a number from 0 to 1.'],
    [{ base: 0.4, rules: [{ phrase: ' ', gain: 1 }] }, '"rules.0.phrase" must not be empty.'],
    [{ base: 0.4, rules: [{ phrase: 'x', gain: '1' }] }, '"rules.0.gain" must be a number from -1 to 1.'],
    [{ base: 0.4, rules: [{ phrase: 'x', where: 'user', gain: 1 }] }, '"rules.0.where" must be "system", "tools/'],
    [{ base: 0.4, rule: [] }, 'The body has no field "rule".'],
    [{ base: 0.4, too_long: { chars: -1, loss: 0.1 } }, '"too_long.chars" must be a whole number, 0 or more.'],
    [[], 'The body must be an object.'],
  ])('refuses %j and shows the expected form', async (body, problem) => {
    const { error } = await control('prompt-sensitive/bad', body);
    expect(error.message).toContain(problem);
    expect(error.message).toContain('Post {"base": 0.4, "rules": [{"phrase":');
  });
});
