import { createSimulator, type Simulator } from '../server.js';
import { HOSTS } from './hosts.js';

let simulator: Simulator;
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(() => simulator.close());

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the weather in a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];
const QUESTION = { role: 'user', content: 'What is the weather in Paris?' };

async function ask(host: string, more: object = {}): Promise<{ status: number; body: any; headers: Headers }> {
  const answer = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: `host:${host}`, messages: [QUESTION], tools, ...more }),
  });
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}
const control = async (path: string): Promise<any> => (await fetch(`${simulator.url}/control/${path}`)).json();

/** A conversation after an assistant message with a call and these fields. */
const called = (message: object = {}, id = 'call_1') => ({
  messages: [
    QUESTION,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      ...message,
    },
    { role: 'tool', tool_call_id: id, content: '18' },
  ],
});

const REFUSED: [host: string, more: object, status: number, body: object][] = [
  ['openai', { max_tokens: 9 }, 400, { error: { code: 'unsupported_parameter', param: 'max_tokens' } }],
  ['openai', { temperature: 0 }, 400, { error: { code: 'unsupported_value', param: 'temperature' } }],
  ['azure', { parallel_tool_calls: false }, 400, { error: { param: 'parallel_tool_calls' } }],
  ['openai', called({}, 'x'.repeat(41)), 400, { error: { code: 'string_above_max_length' } }],
  ['openrouter', { tool_choice: 'required' }, 404, { error: { code: 404 } }],
  ['deepseek', { tool_choice: 'required' }, 400, { error: { message: expect.stringContaining('tool_choice') } }],
  ['deepseek', called(), 400, { error: { message: expect.stringContaining('at message index 1') } }],
  ['kimi', called(), 400, { error: { message: expect.stringContaining('at index 1') } }],
  ['kimi', { temperature: 0 }, 400, { error: { message: expect.stringContaining('only 1 is allowed') } }],
  ['groq', called({ reasoning: 'Hm.' }), 400, { error: { message: expect.stringContaining("property 'reasoning'") } }],
  ['groq', { logprobs: true }, 400, { error: { message: expect.stringContaining("'logprobs'") } }],
  ['mistral', { seed: 1 }, 422, { message: { detail: [{ loc: ['body', 'seed'] }] } }],
  [
    'mistral',
    called({ annotations: [] }),
    422,
    { message: { detail: [{ loc: ['body', 'messages', 1, 'assistant', 'annotations'] }] } },
  ],
  ['xai', { presence_penalty: 0 }, 400, { error: expect.stringContaining('presencePenalty') }],
  ['cerebras', { frequency_penalty: 0 }, 422, { code: 'wrong_api_format' }],
  ['fireworks', called({ refusal: null }), 400, { error: { message: expect.stringContaining('messages[1].refusal') } }],
  ['bedrock', { seed: 1 }, 400, { error: { message: expect.stringContaining("['seed']") } }],
  ['vllm', { tool_choice: 'auto' }, 400, { type: 'BadRequestError' }],
  ['lmstudio', { tool_choice: { type: 'function', function: { name: 'get_weather' } } }, 400, {}],
  ['anthropic', {}, 404, {}],
];
it.each(
  REFUSED.map(([host, more, ...answer]) => [host, Object.keys(more).join() || 'its format', more, ...answer] as const),
)('host:%s refuses %s with its own message', async (host, _what, more, status, body) => {
  expect(await ask(host, more)).toMatchObject({ status, body });
});

it.each([
  ['openrouter', { tool_choice: 'auto' }, { reasoning: expect.any(String), reasoning_details: [expect.anything()] }],
  ['deepseek', { tool_choice: 'auto' }, { reasoning_content: expect.any(String) }],
  ['openai', { tool_choice: 'required', temperature: 1 }, { refusal: null, annotations: [] }],
  ['ollama', called({}, 'call_0'), {}],
])('host:%s replies like a good model to a request it accepts', async (host, more, fields) => {
  const { status, body } = await ask(host, more);
  expect(status).toBe(200);
  expect(body.choices[0].message).toMatchObject(fields);
});

it('a host without thinking forces calls and does not require thoughts', async () => {
  const { body } = await ask('deepseek', { ...called(), tool_choice: 'required', thinking: { type: 'disabled' } });
  expect(body.choices[0].message.tool_calls).toHaveLength(1);
  expect(body.choices[0].message.reasoning_content).toBeUndefined();
});

it('hosts have their own ids of calls', async () => {
  const idOf = async (host: string) =>
    (await ask(host, { tool_choice: 'required' })).body.choices[0].message.tool_calls;
  expect(await idOf('ollama')).toMatchObject([{ id: 'call_0' }]);
  expect(await idOf('llamacpp')).toMatchObject([{ id: '' }]);
  expect((await idOf('vllm'))[0].id).toHaveLength(46);
  expect(await idOf('mistral')).toMatchObject([{ id: expect.stringMatching(/^[a-z0-9]{9}$/) }]);
});

it('a user message can request an odd reply, and a rate limit only once', async () => {
  const odd = (name: string) => ({ messages: [{ role: 'user', content: `Weather in Rome? [[${name}]]` }] });
  expect(await ask('azure', odd('limited'))).toMatchObject({
    status: 429,
    body: { error: { message: expect.stringContaining('Please retry after 26 seconds') } },
  });
  expect(await ask('azure', odd('limited'))).toMatchObject({ status: 200 });
  for (let time = 0; time < 2; time++)
    expect(await ask('azure', odd('filtered'))).toMatchObject({
      status: 400,
      body: { error: { code: 'content_filter' } },
    });
  expect(await ask('openrouter', odd('broken'))).toMatchObject({ body: { choices: [{ error: { code: 502 } }] } });
});

it('a host that refuses everything names what was sent, then ever new settings, and counts its requests', async () => {
  const said: string[] = [];
  for (let request = 0; request < 12; request++)
    said.push(JSON.stringify((await ask('refuses-everything:mine', { temperature: 0 })).body));
  expect(said[0]).toContain("'model'");
  expect(said[3]).toContain('temperature');
  expect(said[5]).toContain('messages.0.content');
  expect(said[6]).toContain('custom_option_1');
  expect(new Set(said).size).toBe(said.length);
  expect((await control('stats?model=host:refuses-everything:mine')).requests).toBe(12);
});

it('hosts are listed, accept a latency and an instance, and unknown ones are refused', async () => {
  const { data } = (await (await fetch(`${simulator.url}/v1/models`)).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(HOSTS)));
  expect(await ask('groq@1:mine')).toMatchObject({ status: 200, headers: expect.anything() });
  expect((await control('stats?model=host:groq@1:mine')).requests).toBe(1);
  expect(await ask('nowhere')).toMatchObject({ status: 404 });
});
