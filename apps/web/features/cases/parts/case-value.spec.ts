import type { JsonObject } from '#lib/contracts/json/json';
import {
  expectationOf,
  expectedTools,
  inputOf,
  keysWithoutField,
  withChain,
  withConversation,
  withExpectation,
} from './case-value.js';

describe('what a case expects', () => {
  it.each<[string, JsonObject]>([
    ['f or g', { expected_tool: ['f', 'g'] }],
    ['f and g', { expected_calls: [{ tool: 'f' }, { tool: 'g' }] }],
    ['f, then g', { conversation: { goal: { calls: [{ tool: 'f' }, { tool: 'g' }], call_order: 'strict' } } }],
    ['no call', { conversation: { goal: { calls: [] } } }],
    ['no call', { expected_tool: null }],
    ['any calls', { conversation: { goal: { state: { '/a': 1 } } } }],
  ])('is in a list %j', (words, input) => expect(expectedTools(input)).toBe(words));

  it.each<[string, JsonObject]>([
    ['tool', { expected_tool: 'f' }],
    ['any', { expected_tool: ['f'] }],
    ['calls', { expected_calls: [{ tool: 'f' }] }],
    ['none', { expected_calls: [] }],
    ['none', { expected_tool: null }],
    ['none', { should_call_tool: false }],
    ['goal', { conversation: { goal: {} } }],
  ])('is %s for %j', (kind, input) => expect(expectationOf(input)).toBe(kind));

  it('keeps tool and arguments when its kind changes', () => {
    const one: JsonObject = { prompt: 'p', expected_tool: 'f', expected_params: { a: 1 }, should_call_tool: true };
    const calls = withExpectation(one, 'calls');
    expect(calls).toEqual({ prompt: 'p', expected_calls: [{ tool: 'f', params: { a: 1 } }] });
    expect(withExpectation(calls, 'tool')).toEqual({ prompt: 'p', expected_tool: 'f', expected_params: { a: 1 } });
    expect(withExpectation(one, 'any')).toEqual({ prompt: 'p', expected_tool: ['f'], expected_params: { a: 1 } });
    expect(withExpectation(one, 'none')).toEqual({ prompt: 'p', expected_tool: null });
    const goal = withExpectation({ ...one, multi_turn: true, max_rounds: 3 }, 'goal');
    expect(goal).toEqual({
      prompt: 'p',
      conversation: { tools: {}, goal: { calls: [{ tool: 'f', params: { a: 1 } }] } },
    });
    expect(withExpectation(goal, 'tool')).toEqual({ prompt: 'p', expected_tool: 'f', expected_params: { a: 1 } });
    expect(withExpectation({ expected_tool: null }, 'calls')).toEqual({ expected_calls: [{ tool: '' }] });
  });
});

it('a case that stops being a chain loses the fields of a chain', () => {
  const chain = withChain({ prompt: 'p' }, true);
  expect(withChain({ ...chain, max_rounds: 3, mock_responses: {} }, false)).toEqual({ prompt: 'p' });
});

it('a prompt becomes the message of a conversation, and back', () => {
  const conversation = withConversation({ prompt: 'hi', expected_tool: 'f' }, true);
  expect(conversation).toEqual({ messages: [{ role: 'user', content: 'hi' }], expected_tool: 'f' });
  expect(withConversation(conversation, false)).toEqual({ prompt: 'hi', expected_tool: 'f' });
});

it('the request has neither id nor position, and keys without a field are listed', () => {
  const input = inputOf({ id: 'x', position: 1, prompt: 'p', tools: ['f'], source: null, later: 1 });
  expect(input).toEqual({ prompt: 'p', tools: ['f'], source: null, later: 1 });
  expect(keysWithoutField(input)).toEqual(['tools', 'later']);
});
