import type { Json, JsonObject } from '#lib/contracts/json/json';
import fc from '../../../test/fast-check.js';
import { ANTHROPIC_IDS, CHAT_IDS, GOOGLE_IDS, RESPONSES_IDS, withUniqueCallIds, type IdRule } from './call-ids.js';

type Id = Json | undefined;
const call = (id: Id): JsonObject => ({
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name: 'f', arguments: '{}' },
});
const calls = (...ids: Id[]): JsonObject => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: Id, content = ''): JsonObject => ({
  role: 'tool',
  content,
  ...(id !== undefined && { tool_call_id: id }),
});
const USER = { role: 'user', content: 'Hi' };

/** The ids of calls and results in conversation order, as sent. */
function sentIds(rule: IdRule, ...messages: JsonObject[]): Json[] {
  const { messages: sent } = withUniqueCallIds({ messages: [USER, ...messages] }, rule) as { messages: JsonObject[] };
  return sent.flatMap(({ tool_calls: made, tool_call_id: id }) =>
    Array.isArray(made) ? made.map((one) => (one as JsonObject).id!) : id === undefined ? [] : [id],
  );
}

it('a conversation with ids that the host accepts is sent unchanged', () => {
  const body = { messages: [USER, calls('a:1', 'a.1'), result('a.1'), result('a:1'), calls('b'), result('b')] };
  for (const rule of [CHAT_IDS, RESPONSES_IDS, GOOGLE_IDS]) expect(withUniqueCallIds(body, rule)).toBe(body);
});

it('calls of a reply with the same id or none get their own ids, and so do their results, in order', () => {
  expect(sentIds(CHAT_IDS, calls('call_1', 'call_1'), result('call_1'), result('call_1'))).toEqual([
    'call_1',
    'call_1_2',
    'call_1',
    'call_1_2',
  ]);
  for (const none of ['', null, undefined])
    expect(sentIds(CHAT_IDS, calls(none, none), result(none), result(none))).toEqual([
      'call_1_0',
      'call_1_1',
      'call_1_0',
      'call_1_1',
    ]);
});

it('ids that restart in each round become distinct, and each result belongs to the nearest call before it', () => {
  const rounds = [calls('call_0'), result('call_0'), calls('call_0'), result('call_0'), calls('call_0')];
  expect(sentIds(CHAT_IDS, ...rounds, result('call_0'))).toEqual([
    'call_0',
    'call_0',
    'call_0_2',
    'call_0_2',
    'call_0_3',
    'call_0_3',
  ]);
  expect(sentIds(CHAT_IDS, calls('x'), calls('x'), result('x'), result('x'))).toEqual(['x', 'x_2', 'x_2', 'x']);
});

it('ids that differ only in characters that the host forbids stay distinct, and a valid id is kept', () => {
  expect(sentIds(ANTHROPIC_IDS, calls('a:1', 'a.1'), result('a.1'), result('a:1'))).toEqual([
    'a_1',
    'a_1_2',
    'a_1_2',
    'a_1',
  ]);
  expect(sentIds(ANTHROPIC_IDS, calls('a:1'), result('a:1'), calls('a_1'), result('a_1'))).toEqual([
    'a_1_2',
    'a_1_2',
    'a_1',
    'a_1',
  ]);
});

it('an id that is too long is cut, in chat completions only before the last user message', () => {
  const long = `functions.${'x'.repeat(70)}:0`;
  const [sent, ofResult] = sentIds(RESPONSES_IDS, calls(long), result(long)) as string[];
  expect(sent).toHaveLength(64);
  expect(ofResult).toBe(sent);
  expect(sentIds(CHAT_IDS, calls(long), result(long))).toEqual([long, long]);
  const [earlier, , own] = sentIds(CHAT_IDS, calls(long), result(long), USER, calls(long), result(long)) as string[];
  expect(earlier).toHaveLength(40);
  expect(own).toBe(long);
});

it('a result without a call and a call without a result are kept', () => {
  expect(sentIds(CHAT_IDS, result('lost'), calls('a', 'b'), result('b'))).toEqual(['lost', 'a', 'b', 'b']);
});

it('other fields of a call are kept, and the original parts of a reply get the ids of its calls', () => {
  const signed = { ...call(''), extra_content: { google: { thought_signature: 'c2ln' } }, index: 0 };
  const message: Record<string, any> = {
    role: 'assistant',
    tool_calls: [signed, call('')],
    content_blocks: [{ type: 'thinking', id: 't' }, { type: 'tool_use', id: '' }, { type: 'tool_use' }],
    output_items: [{ type: 'function_call', call_id: '', id: 'fc_1' }, { type: 'function_call' }],
  };
  const { messages } = withUniqueCallIds({ messages: [message] }, CHAT_IDS);
  expect(messages).toEqual([
    {
      role: 'assistant',
      tool_calls: [
        { ...signed, id: 'call_0_0' },
        { ...call(''), id: 'call_0_1' },
      ],
      content_blocks: [
        { type: 'thinking', id: 't' },
        { type: 'tool_use', id: 'call_0_0' },
        { type: 'tool_use', id: 'call_0_1' },
      ],
      output_items: [
        { type: 'function_call', call_id: 'call_0_0', id: 'fc_1' },
        { type: 'function_call', call_id: 'call_0_1' },
      ],
    },
  ]);
});

const id = fc.oneof(
  fc.constantFrom('', 'a:1', 'a.1', 'a_1', 'a_1_2', 'call_0', 'call_1_0', 'x'.repeat(41), 'x'.repeat(70), null, 7),
  fc.string({ maxLength: 3 }),
);
/** Rounds whose calls all get their results, in call order, with the number of the call as content. */
const rounds = fc.array(fc.array(id, { minLength: 1, maxLength: 4 }), { maxLength: 6 }).map((given) => {
  let count = 0;
  return given.flatMap((ids) => {
    const first = count;
    count += ids.length;
    return [calls(...ids), ...ids.map((one, index) => result(one, String(first + index)))];
  });
});

it.each([
  ['Anthropic', ANTHROPIC_IDS, /^[a-zA-Z0-9_-]+$/],
  ['Responses', RESPONSES_IDS, /^.{1,64}$/s],
  ['chat completions', CHAT_IDS, /^.+$/s],
] as const)('%s gets each id once, with the result of its call, whatever the ids were', (_name, rule, accepted) => {
  fc.assert(
    fc.property(rounds, (messages) => {
      const { messages: sent } = withUniqueCallIds({ messages: [USER, ...messages] }, rule) as {
        messages: JsonObject[];
      };
      const ids = sent.flatMap(({ tool_calls: made }) => (Array.isArray(made) ? made.map((one: any) => one.id) : []));
      expect(new Set(ids).size).toBe(ids.length);
      for (const one of ids) expect(one).toMatch(accepted);
      for (const { role, content, tool_call_id: ofCall } of sent)
        if (role === 'tool') expect(ids[Number(content)]).toBe(ofCall);
      const again = withUniqueCallIds({ messages: sent }, rule);
      expect(again.messages).toBe(sent);
    }),
  );
});

it('ten thousand calls with the same id get new ids in linear time', () => {
  const many = Array.from({ length: 5000 }, () => [calls('a:1', 'a.1'), result('a.1'), result('a:1')]).flat();
  expect(new Set(sentIds(ANTHROPIC_IDS, ...many)).size).toBe(10_000);
});
