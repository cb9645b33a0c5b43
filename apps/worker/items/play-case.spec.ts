import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { Tool } from '#lib/contracts/tool';
import { playAlone } from '../../../test/play-alone.js';

const tool = (name: string): Tool => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});
const CHAIN = {
  prompt: 'Book the cheapest flight.',
  multi_turn: true,
  max_rounds: 3,
  expected_tool: 'flights.book',
  mock_responses: { 'flights.find': '["LH1"]', prices: '9' },
} as never;

/** Plays a chain at a host that gives the same reply in each round. @returns the bodies of its requests */
async function playAgainst(kind: ProviderKind, reply: object): Promise<any[]> {
  const sent: JsonObject[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(parseJson(String(init!.body)) as JsonObject);
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } });
  };
  const host = { kind, baseUrl: 'https://api.example.com/v1', apiKey: 'secret-key-0123456789', fetch };
  const tools = ['flights.find', 'prices', 'flights.book'].map(tool);
  const { failure, replies } = await playAlone(host, { input: CHAIN, tools, params: { model: 'm' } });
  expect(failure).toBeUndefined();
  expect(replies).toHaveLength(3);
  return sent;
}

it('a chain sends the other fields of a call, such as signed thoughts, back under the name that was sent', async () => {
  const signature = { extra_content: { google: { thought_signature: 'c2ln' } } };
  const call = { type: 'function', function: { name: 'flights_find', arguments: '{}' }, index: 0, ...signature };
  const message = { role: 'assistant', content: null, tool_calls: [{ ...call, id: '' }] };
  const sent = await playAgainst('openai', { choices: [{ message, finish_reason: 'tool_calls' }] });
  expect(sent[2].messages.slice(1)).toEqual([
    { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'call_1_0' }] },
    { role: 'tool', tool_call_id: 'call_1_0', content: '["LH1"]' },
    { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'call_3_0' }] },
    { role: 'tool', tool_call_id: 'call_3_0', content: '["LH1"]' },
  ]);
});

it('a host that gives two calls the same id in each round receives four ids', async () => {
  const content = [
    { type: 'thinking', thinking: '', signature: 'c2ln' },
    { type: 'tool_use', id: 'call:0', name: 'flights_find', input: {} },
    { type: 'tool_use', id: 'call:0', name: 'prices', input: {} },
  ];
  const sent = await playAgainst('anthropic', { type: 'message', role: 'assistant', content, stop_reason: 'tool_use' });
  const round = (first: string, second: string) => [
    { role: 'assistant', content: [content[0], { ...content[1], id: first }, { ...content[2], id: second }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: first, content: '["LH1"]' },
        { type: 'tool_result', tool_use_id: second, content: '9' },
      ],
    },
  ];
  expect(sent[2].messages.slice(1)).toEqual([...round('call_0', 'call_0_2'), ...round('call_0_3', 'call_0_4')]);
});

/** Plays the chain at a host that makes this call, and answers the next round with an error. */
async function playRefused(args: string, status: number, error: string) {
  let rounds = 0;
  const fetch = async (): Promise<Response> => {
    const call = { id: 'c', type: 'function', function: { name: 'prices', arguments: args } };
    const reply = { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] };
    const [code, body] = rounds++ === 0 ? [200, reply] : [status, { error: { message: error } }];
    return new Response(JSON.stringify(body), { status: code, headers: { 'content-type': 'application/json' } });
  };
  const host = { kind: 'openai' as const, baseUrl: 'https://api.example.com/v1', apiKey: null, fetch };
  const tools = ['prices', 'flights.book'].map(tool);
  const { replies, rounds: scored, failure } = await playAlone(host, { input: CHAIN, tools, params: { model: 'm' } });
  return failure ? failure.kind : [replies?.length, scored];
}

it.each([
  ['arguments that are not JSON', '{"day": "Mon', 400, 'messages.1.tool_calls.0.function.arguments must be valid JSON'],
  ['arguments too long for the host', JSON.stringify({ a: 'x'.repeat(5000) }), 413, 'Request too large'],
  [
    'a context full of arguments',
    JSON.stringify({ a: 'x'.repeat(5000) }),
    400,
    'maximum context length is 1024 tokens',
  ],
])(
  'a chain whose next round is refused for %s of the model is scored on the rounds before it',
  async (_what, ...refused) => expect(await playRefused(...refused)).toEqual([1, [0]]),
);

it.each([
  ['a fault in the request', '{}', 400, 'Invalid schema for function "prices"'],
  ['a conversation that is long because of others', '{}', 400, 'maximum context length is 1024 tokens'],
  ['a host that is permanently down', '{"day": "Mon', 401, 'The arguments cannot be read'],
])('%s in a later round is not the model’s, and leaves the chain without a score', async (_what, ...refused) =>
  expect(await playRefused(...refused)).toEqual(expect.stringMatching(/bad_request|auth/)),
);
