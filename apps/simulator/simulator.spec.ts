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
  it('perfect-ish calls the best tool with arguments from the prompt, and none when none fits and it may', async () => {
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

  it('flaky-<percent> fails, and answers when it is asked often enough', async () => {
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

  it('scripted gives back what was posted to it', async () => {
    await control('scripted/mine', {
      replies: [
        { role: 'assistant', content: 'first' },
        { role: 'assistant', content: 'second' },
      ],
    });
    expect((await message('scripted:mine')).content).toBe('first');
    expect((await message('scripted:mine')).content).toBe('second');
  });

  it('and the same seed gives the same answer', async () => {
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
