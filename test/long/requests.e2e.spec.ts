import type { Client } from '../client.js';
import { startEndpoint } from '../endpoint.js';
import { joinSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let client: Client;
let names = 0;

beforeAll(async () => {
  ({ client } = await joinSystem());
}, 150_000);

const tool = (name: string, strict?: boolean) => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    ...(strict !== undefined && { strict }),
  },
});
const TOOLS = [tool('get_weather'), tool('book_hotel', true), tool('add_note')];
const CASE = { prompt: 'Weather in Paris?', expected_tool: 'get_weather' };

interface Asked {
  suite?: object;
  cases?: object[];
  models?: object[];
  run?: object;
}

/** A run against a separate endpoint. Its models are called `a`, `b` and so on unless they have an id. */
async function submit({ suite = {}, cases = [CASE], models = [{ id: 'a' }], run = {} }: Asked, open = true) {
  const [endpoint, key] = [await startEndpoint(), `requests-${names++}`];
  const made = await client.post('/api/providers', {
    key,
    base_url: endpoint.url,
    api_key: `sk-${key}-0123456789`,
    models,
    limits: { max_concurrency: 1 },
  });
  expect(made.status).toBe(201);
  const imported = await client.post('/api/tool-eval/import', { name: key, tools: TOOLS, test_cases: cases, ...suite });
  expect(imported.status).toBe(201);
  const targets = models.map((model) => ({ provider_key: key, model_id: (model as { id: string }).id }));
  const submitted = await client.post(
    '/api/tool-eval',
    JSON.parse(
      JSON.stringify({ suite_id: imported.body.suite_id, models: targets, cache: 'off', ...run }).replaceAll(
        'KEY',
        key,
      ),
    ),
  );
  expect(submitted).toMatchObject({ status: 202 });
  if (open) endpoint.open();
  return { endpoint, id: submitted.body.eval_id as string };
}
const results = async (id: string): Promise<any[]> =>
  (await client.get(`/api/tool-eval/history/${id}/results`)).body.items;

/** The request bodies of a run, by model name: there are two workers, and either may be first. */
async function asked(of: Asked): Promise<any[]> {
  const { endpoint, id } = await submit(of);
  await untilRunCompleted(client, id);
  expect(endpoint.asked.map(({ path }) => path)).toEqual(endpoint.asked.map(() => '/v1/chat/completions'));
  return endpoint.asked.map(({ body }) => body).toSorted((one, other) => one.model.localeCompare(other.model));
}
const messages = async (of: Asked): Promise<unknown[]> => (await asked(of)).map((body) => body.messages);
const user = { role: 'user', content: CASE.prompt };
const system = (content: string) => ({ role: 'system', content });

describe('a request to a model', () => {
  it("has its prompt, the suite's tools in order and in full, the run's settings, and nothing else", async () => {
    expect(await asked({})).toEqual([
      { model: 'a', messages: [user], temperature: 0, tools: TOOLS, tool_choice: 'required' },
    ]);
  });

  it('begins with the system prompt of the suite', async () => {
    expect(await messages({ suite: { system_prompt: 'Be brief.' } })).toEqual([[system('Be brief.'), user]]);
  });

  it('has the system prompt of the run after that of the suite, in one message', async () => {
    expect(await messages({ suite: { system_prompt: 'Be brief.' }, run: { system_prompt: 'Be kind.' } })).toEqual([
      [system('Be brief.\n\nBe kind.'), user],
    ]);
    expect(await messages({ run: { system_prompt: 'Be kind.' } })).toEqual([[system('Be kind.'), user]]);
    expect(await messages({ suite: { system_prompt: 'Be brief.' }, run: { system_prompt: null } })).toEqual([
      [system('Be brief.'), user],
    ]);
  });

  it('has the system prompt of the run for this model, or the one for all others, or none', async () => {
    const models = [{ id: 'a' }, { id: 'b' }];
    expect(
      await messages({
        models,
        suite: { system_prompt: 'Be brief.' },
        run: { system_prompt: { 'KEY::b': 'Be b.', '*': 'Be any.' } },
      }),
    ).toEqual([
      [system('Be brief.\n\nBe any.'), user],
      [system('Be brief.\n\nBe b.'), user],
    ]);
    expect(await messages({ models, run: { system_prompt: { 'KEY::b': 'Be b.' } } })).toEqual([
      [user],
      [system('Be b.'), user],
    ]);
  });

  it('has the conversation of a case as it was written, after the system prompt', async () => {
    const conversation = [
      { role: 'user', content: 'Hi, I am Ada.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add_note', arguments: '{"city": "Paris"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"ok":true}' },
      { role: 'user', content: [{ type: 'text', text: 'And the weather?' }], name: 'ada' },
    ];
    expect(
      await messages({
        suite: { system_prompt: 'Be brief.' },
        cases: [{ messages: conversation, expected_tool: 'get_weather' }],
      }),
    ).toEqual([[system('Be brief.'), ...conversation]]);
  });

  it('has the tools of its case, if there are any, in their order', async () => {
    const bodies = await asked({
      cases: [
        CASE,
        { ...CASE, tools: ['add_note', 'get_weather'] },
        { ...CASE, tools: [tool('own_tool'), 'get_weather'] },
      ],
    });
    expect(bodies).toHaveLength(3);
    expect(bodies.map((body) => body.tools)).toEqual(
      expect.arrayContaining([TOOLS, [TOOLS[2], TOOLS[0]], [tool('own_tool'), TOOLS[0]]]),
    );
  });

  it('is made for each sample of each case of each model', async () => {
    const bodies = await asked({
      models: [{ id: 'a' }, { id: 'b' }],
      cases: [CASE, { ...CASE, prompt: 'And in Rome?' }],
      run: { samples: 2 },
    });
    expect(bodies.map(({ model }) => model)).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
    expect(bodies.map(({ model, messages: [{ content }] }) => `${model}: ${content}`).sort()).toEqual(
      ['a', 'b'].flatMap((model) =>
        ['And in Rome?', 'Weather in Paris?'].flatMap((prompt) => Array(2).fill(`${model}: ${prompt}`)),
      ),
    );
  });
});

describe('tool_choice', () => {
  it.each(['auto', 'none', 'required'])('%s is sent unchanged', async (tool_choice) => {
    expect((await asked({ run: { tool_choice } })).map((body) => body.tool_choice)).toEqual([tool_choice]);
  });

  it('is auto instead of required for cases that expect no call, in every notation', async () => {
    const abstaining = [{ expected_tool: null }, { should_call_tool: false }, { expected_calls: [] }].map((how) => ({
      prompt: 'Hello!',
      ...how,
    }));
    const bodies = await asked({ cases: [CASE, ...abstaining] });
    expect(bodies.map(({ messages: [{ content }], tool_choice }) => `${content} ${tool_choice}`).sort()).toEqual([
      ...Array(3).fill('Hello! auto'),
      'Weather in Paris? required',
    ]);
    expect((await asked({ cases: abstaining, run: { tool_choice: 'none' } })).map((body) => body.tool_choice)).toEqual([
      'none',
      'none',
      'none',
    ]);
  });
});

describe('parameters', () => {
  it('of a target override those of the run, which override those of the model', async () => {
    const { endpoint, id } = await submit({
      models: [
        { id: 'a', default_params: { temperature: 0.1, max_tokens: 11, top_p: 0.1, seed: 1, user: 'model' } },
        { id: 'b' },
      ],
      run: {
        temperature: 0.7,
        max_tokens: 77,
        params: { top_p: 0.2, seed: 2, stop: ['END'] },
        models: [{ provider_key: 'KEY', model_id: 'a', params: { seed: 3, logit_bias: { 50256: -100 } } }, 'KEY::b'],
      },
    });
    await untilRunCompleted(client, id);
    expect(endpoint.asked.map(({ body: { messages: _messages, tools: _tools, ...params } }) => params)).toEqual([
      {
        model: 'a',
        temperature: 0.1,
        max_tokens: 11,
        top_p: 0.2,
        seed: 3,
        user: 'model',
        stop: ['END'],
        logit_bias: { 50256: -100 },
        tool_choice: 'required',
      },
      { model: 'b', temperature: 0.7, max_tokens: 77, top_p: 0.2, seed: 2, stop: ['END'], tool_choice: 'required' },
    ]);
  });

  it('that a model does not support are left out for it, whatever their origin, and not for others', async () => {
    const bodies = await asked({
      models: [
        { id: 'a', unsupported_params: ['temperature', 'seed', 'top_p', 'tool_choice'], default_params: { seed: 1 } },
        { id: 'b', unsupported_params: ['max_tokens'] },
      ],
      run: { temperature: 0.5, max_tokens: 77, params: { top_p: 0.2 } },
    });
    expect(bodies).toEqual([
      { model: 'a', messages: [user], max_tokens: 77, tools: TOOLS },
      { model: 'b', messages: [user], temperature: 0.5, top_p: 0.2, tools: TOOLS, tool_choice: 'required' },
    ]);
  });
});

it('a request that exceeds the timeout of its run is aborted and retried', async () => {
  const { endpoint, id } = await submit({ run: { timeout_s: 1 } }, false);
  await until(() => endpoint.asked.length === 2, { what: 'the second attempt' });
  endpoint.open();
  await untilRunCompleted(client, id);
  const [result] = await results(id);
  expect(result).toMatchObject({ outcome: 'scored', passed: true, attempts: 2 });
  const { exchange } = (await client.get(`/api/tool-eval/history/${id}/results/${result.id}`)).body;
  expect(exchange.replies[0].error).toMatchObject({ kind: 'timeout', message: 'No answer within 1 s.' });
  expect(endpoint.asked[1]!.body).toEqual(endpoint.asked[0]!.body);
}, 60_000);
