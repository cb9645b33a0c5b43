import { createSimulator, type Simulator } from './server.js';

let simulator: Simulator;
beforeEach(async () => {
  simulator = createSimulator({ seed: 7 });
  await simulator.listen(0, '127.0.0.1');
});
afterEach(() => simulator.close());

const send = (path: string, body?: unknown): Promise<Response> =>
  fetch(`${simulator.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
const control = (path: string, body?: unknown): Promise<any> =>
  send(`/control/${path}`, body).then((answer) => answer.json());
const post = (body: object, id = 'it') => control(`meta/${id}`, body);

const SEARCH = 'tools/search/description';
const components = { system_prompt: 'Be brief.', [SEARCH]: 'Searches.' };
/** The user message, as a tune writes it. */
const written = (task: object): string => {
  const json = JSON.stringify({ components, ...task }).replaceAll('`', '\\u0060');
  return ['Improve this.', '```json', json, '```', 'Call the tool.'].join('\n');
};
const reflection = (text: string, more: object = {}) => ({
  task: 'reflect',
  component: 'system_prompt',
  current_text: text,
  ...more,
});
const functions = ['propose', 'give_up'].map((name) => ({
  name,
  description: 'Takes texts.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
}));
const requestOf = (content: string, model = 'meta:it') => ({
  model,
  messages: [
    { role: 'system', content: 'You improve prompts.' },
    { role: 'user', content },
  ],
  tools: functions.map((own) => ({ type: 'function', function: own })),
});
const ask = (content: string, more: object = {}) => send('/v1/chat/completions', { ...requestOf(content), ...more });
/** The arguments of the meta model's call. */
const proposed = async (task: object): Promise<any> => {
  const { message } = ((await (await ask(written(task))).json()) as any).choices[0];
  expect(message.tool_calls.map((call: any) => call.function.name)).toEqual(['propose']);
  return JSON.parse(message.tool_calls[0].function.arguments);
};
const textsOf = ({ candidates }: any): Record<string, string>[] =>
  candidates.map(({ texts }: any) => Object.fromEntries(texts.map(({ component, text }: any) => [component, text])));

const rules = [
  { when: 'wrong date', append: 'Read dates.' },
  { when: 'said "no"', append: 'Take a no.' },
  { when: SEARCH, append: 'Search once.' },
];

describe('a meta model that reflects', () => {
  it('appends the text of each matching rule on its own line, without duplicates', async () => {
    expect(await post({ rules, otherwise: 'Think.' })).toEqual({ model: 'meta:it' });
    const examples = [{ prompt: 'x', why: 'A WRONG date. He said "no".' }];
    expect(await proposed(reflection('Be brief.', { examples }))).toEqual({
      text: 'Be brief.\nRead dates.\nTake a no.',
      why: 'Adds: Read dates. Take a no.',
    });
    expect((await proposed(reflection('Take a no. Be brief.', { examples }))).text).toBe(
      'Take a no. Be brief.\nRead dates.',
    );
    expect((await proposed(reflection('', { examples }))).text).toBe('Read dates.\nTake a no.');
  });

  it('appends a fallback or nothing when no rule applies', async () => {
    await post({ rules, otherwise: 'Think.' });
    expect((await proposed(reflection('Be brief.'))).text).toBe('Be brief.\nThink.');
    await post({ rules });
    expect(await proposed(reflection('Be brief.'))).toEqual({ text: 'Be brief.', why: 'Nothing to add.' });
  });

  it('applies a rule for a component to that component only', async () => {
    await post({ rules });
    const text = { ...reflection('Searches.'), component: SEARCH };
    expect((await proposed(text)).text).toBe('Searches.\nSearch once.');
  });

  it('finds JSON-escaped text, and restores quotes that would end the fence', async () => {
    await post({ rules: [{ when: 'the `name`', append: 'A' }] });
    expect((await proposed(reflection('```', { note: 'the `name`' }))).text).toBe('```\nA');
  });

  it('copies an example when careless', async () => {
    await post({ copy_examples: true });
    const examples = [{ prompt: 'Book a table.' }, { prompt: 'Another.' }];
    expect((await proposed(reflection('Be brief.', { examples }))).text).toBe('Be brief.\nBook a table.');
    expect(textsOf(await proposed({ task: 'mutate', examples }))).toEqual([
      { ...components, system_prompt: 'Be brief.\nBook a table.' },
    ]);
  });
});

describe('a meta model that makes candidates', () => {
  it('makes the requested number of variants, each by the next rule and in its component', async () => {
    await post({ rules });
    expect(textsOf(await proposed({ task: 'variants', count: 4 }))).toEqual([
      { ...components, system_prompt: 'Be brief.\nRead dates.' },
      { ...components, system_prompt: 'Be brief.\nTake a no.' },
      { ...components, [SEARCH]: 'Searches.\nSearch once.' },
      { ...components, system_prompt: 'Be brief.\nRead dates.' },
    ]);
    await post({});
    expect(textsOf(await proposed({ task: 'variants', count: 2 }))).toEqual([components, components]);
  });

  it('mutates the parent by the matching rules', async () => {
    await post({ rules });
    const parents = [{ components: { system_prompt: 'Be kind.', [SEARCH]: 'Finds.' } }];
    expect(textsOf(await proposed({ task: 'mutate', parents, note: 'wrong date' }))).toEqual([
      { system_prompt: 'Be kind.\nRead dates.', [SEARCH]: 'Finds.\nSearch once.' },
    ]);
  });

  it('crosses two parents by the longer text of each component', async () => {
    await post({ rules });
    const parents = [
      { components: { system_prompt: 'Be brief and kind.', [SEARCH]: 'Finds.' } },
      { components: { system_prompt: 'Be brief.', [SEARCH]: 'Finds all.' } },
    ];
    expect(textsOf(await proposed({ task: 'crossover', parents }))).toEqual([
      { system_prompt: 'Be brief and kind.', [SEARCH]: 'Finds all.' },
    ]);
  });
});

it('a meta model gives unreadable replies on request', async () => {
  await post({ reply: 'nonsense' });
  const answer = (await (await ask(written(reflection('x')))).json()) as any;
  expect(answer.choices[0].message).toEqual({ role: 'assistant', content: expect.any(String) });
  await post({ reply: 'wrong_schema' });
  expect(await proposed(reflection('x'))).toEqual({ answer: 42 });
});

it('a meta model that is asked again finds the task in an earlier message', async () => {
  await post({ otherwise: 'Think.' });
  const { messages } = requestOf(written(reflection('x')));
  const again = [...messages, { role: 'assistant', content: '?' }, { role: 'user', content: 'Call the tool.' }];
  expect(await (await ask('', { messages: again })).text()).toContain('x\\\\nThink.');
});

const model = 'meta:it';
const content = written(reflection('Be brief.'));
const messages = [{ role: 'user', content }];
it.each([
  ['/v1/responses', { model, input: messages, tools: functions.map((own) => ({ type: 'function', ...own })) }],
  [
    '/anthropic/v1/messages',
    {
      model,
      messages,
      max_tokens: 99,
      tools: functions.map(({ parameters, ...own }) => ({ ...own, input_schema: parameters })),
    },
  ],
  [
    `/google/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: content }] }], tools: [{ functionDeclarations: functions }] },
  ],
])('a meta model speaks the format of %s', async (path, body) => {
  await post({ otherwise: 'Think.' });
  expect(await (await send(path, body)).text()).toMatch(/"propose"[^]*Be brief\.\\+nThink\./);
});

it('a meta model may be slow, counts its requests, and can be switched off', async () => {
  const name = 'meta@30:slow';
  await post({ otherwise: 'Think.' }, name);
  const askSlow = () => send('/v1/chat/completions', requestOf(content, name));
  expect((await askSlow()).status).toBe(200);
  expect((await control('stats')).models[name]).toMatchObject({ requests: 1, answers: { 200: 1 } });
  await control(`models/${name}`, { on: false, status: 529 });
  expect((await askSlow()).status).toBe(529);
});

it('a test can read hundreds of requests to a meta model, even large ones', async () => {
  await post({});
  for (let n = 0; n < 120; n++) await ask(written(reflection(`${n}${n === 0 ? 'x'.repeat(200_000) : ''}`)));
  const { items } = await control('requests?model=meta:it');
  expect(items).toHaveLength(120);
  expect(items[0].messages[1].content.length).toBeGreaterThan(200_000);
});

describe('a meta model refuses', () => {
  it('to work without rules, and says where to post them', async () => {
    const answer = await ask(written(reflection('x')));
    expect([answer.status, ((await answer.json()) as any).error.message]).toEqual([
      400,
      expect.stringContaining('Post rules to /control/meta/meta%3Ait.'),
    ]);
  });

  it.each([
    ['Improve this.', 'No user message has a line "```json"'],
    ['```json\n{"task": "reflect"}', 'No user message has a line "```json"'],
    ['```json\n{task}\n```', 'is not a task'],
    ['```json\n{"task": "sing", "components": {}}\n```', 'at task'],
  ])('a request that is not a task: %s', async (content, problem) => {
    await post({});
    const answer = await ask(content);
    expect([answer.status, ((await answer.json()) as any).error.message]).toEqual([
      400,
      expect.stringContaining(problem),
    ]);
  });

  it('a request without tools', async () => {
    await post({});
    expect(await (await ask(written(reflection('x')), { tools: undefined })).text()).toContain('There is no tool');
  });

  it.each([
    [{ rules: [{ when: 'x' }] }, '"rules.0.append" must be a string.'],
    [{ rules: [{ when: 'x', append: ' ' }] }, '"rules.0.append" must not be empty.'],
    [{ rules: [{ when: '', append: 'x' }] }, '"rules.0.when" must not be empty.'],
    [{ rules: 'x' }, '"rules" must be a list.'],
    [{ rule: [] }, 'The body has no field "rule".'],
    [{ copy_examples: 1 }, '"copy_examples" must be true or false.'],
    [{ reply: 'poem' }, '"reply" must be "tool", "nonsense" or "wrong_schema".'],
    [[], 'The body must be an object.'],
  ])('%j and shows the expected form', async (body, problem) => {
    const { error } = await post(body);
    expect(error.message).toContain(problem);
    expect(error.message).toContain('Post {"rules": [{"when":');
  });
});
