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

/** Plays a chain at a host that replies the same in each round. @returns the bodies of its requests */
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

it('a chain sends back the other fields of a call, such as signed thoughts, under the name that was sent', async () => {
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

it('a host that gives two calls one id, again in each round, is sent four ids', async () => {
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
