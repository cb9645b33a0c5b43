import type { Conversation } from '#lib/contracts/conversation';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { ConversationFault } from '#lib/scoring/conversation/merge';
import { playReplies } from '#lib/scoring/conversation/play-replies';
import { schemaFault } from '#lib/scoring/conversation/schema-fault';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { playAlone } from '../../../test/play-alone.js';

const tools: Tool[] = ['get', 'double'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));
const conversationWith = (kilobytes: number): Conversation => ({
  state: { kept: 'x'.repeat(kilobytes * 1000), copies: [] },
  tools: {
    get: [{ respond: 'fine' }],
    double: [{ effects: [{ op: 'add', path: '/copies/-', value: { $state: '' } }] }],
  },
  user: { turns: ['And then?'] },
  max_rounds: 3,
  goal: { answer: [{ contains: 'done' }] },
});
const said = (content: string | null, finish_reason = 'stop', more: object = {}) => ({
  message: { role: 'assistant', content, ...more },
  finish_reason,
});
const called = (...names: string[]) =>
  said(null, 'tool_calls', {
    tool_calls: names.map((name, n) => ({ id: `c${n}`, type: 'function', function: { name, arguments: '{}' } })),
  });

/** Plays a conversation at a host with these replies. */
async function playLive(conversation: Conversation, replies: object[]) {
  const left = [...replies];
  const fetch = async (): Promise<Response> =>
    new Response(JSON.stringify({ choices: [left.shift()!] }), { headers: { 'content-type': 'application/json' } });
  const host = { kind: 'openai' as const, baseUrl: 'https://api.example.com/v1', apiKey: null, fetch };
  const input = { prompt: 'Hello.', conversation };
  const { replies: made, failure, conversation: played } = await playAlone(host, { input, tools, params: {} });
  return { made, failure, unasked: left.length, played: { ...played?.ended, rounds: played?.rounds } };
}

/** Lets the rules answer replies that were recorded. */
const playRecorded = (conversation: Conversation, replies: readonly ReturnType<typeof said>[]) =>
  playReplies({
    input: { prompt: 'Hello.', conversation },
    tools,
    replies: replies.map(({ message, finish_reason: finishReason }) => ({
      reply: parseReply(message as JsonObject, tools, { finishReason }),
    })),
    schemaFault,
  });

it.each([
  ['an answer after the last turn of the user', 1, [said('Hm.'), called('get'), said('done')], 'answered'],
  [
    'an answer in its last round, while the user has more to say',
    1,
    [called('get'), called('get'), said('x')],
    'round_limit',
  ],
  ['a call in its last round', 1, [called('get'), called('get'), called('get')], 'round_limit'],
  ['a call that its host could not parse', 1, [said('{"name": "get", "argum', 'malformed_function_call')], 'answered'],
  ['an answer that is cut off', 1, [called('get'), said('It is', 'length')], 'cut_off'],
  ['a refusal', 1, [said(null, 'stop', { refusal: 'No.' })], 'refused'],
  ['too many calls', 1, [called(...Array.from({ length: 1001 }, () => 'get'))], 'oversized'],
  ['a rule that the model repeats', 100, [called('double', 'double')], 'round_limit'],
])('a conversation ends with %s, played or recorded', async (_what, size, replies, end) => {
  const conversation = conversationWith(size);
  const { played, failure, unasked } = await playLive(conversation, replies);
  expect({ end: played.end, failure, unasked }).toEqual({ end, failure: undefined, unasked: 0 });
  expect(playRecorded(conversation, [...replies, said('done'), said('done')])).toEqual(played);
});

it('a rule that is too large at its first answer is the fault of the suite, played or recorded', async () => {
  const { made, failure } = await playLive(conversationWith(200), [called('double')]);
  expect({ made, kind: failure?.kind }).toEqual({ made: undefined, kind: 'conversation' });
  const recorded = (): unknown => playRecorded(conversationWith(200), [called('double'), said('done')]);
  expect(recorded).toThrow(ConversationFault);
  expect(recorded).toThrow(failure!.message);
});
