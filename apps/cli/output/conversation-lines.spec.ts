import { expectedText } from './calls.js';
import { conversationLines } from './conversation-lines.js';

const said = (text: string | null) => ({ text, thoughts: null, refusal: null, finish_reason: 'stop' });
const cancelled = {
  name: 'cancel_order',
  arguments: { order_id: '17' },
  answer: '{"status":"cancelled"}',
  is_error: false,
  rule: 1,
  changes: [{ op: 'replace', path: '/orders/17/status', value: 'cancelled', was: 'packed' }],
};
const shown = {
  prompt: 'Cancel order 17.',
  conversation: { goal: { state: { '/orders/17/status': 'cancelled' }, answer: [{ contains: 'gone' }] } },
  said: [said('At once.'), said('Done.\nAnything else?')],
  exchange: {
    conversation: [
      { calls: [{ ...cancelled, answer: 'Later.', is_error: true, changes: [] }, cancelled], user: null },
      { calls: [], user: 'No.' },
    ],
  },
  evidence: {
    conversation: {
      end: 'answered',
      goal_state: [{ pointer: '/orders/17/status', holds: true, expected: 'cancelled', actual: 'cancelled' }],
      goal_answer: [{ check: 0, holds: false }],
    },
  },
};
const linesOf = (of: object, isFull = false) =>
  conversationLines(of as unknown as Parameters<typeof conversationLines>[0], isFull);

it('a conversation is printed as it was: user, model, call, answer, what changed, and what the goal says', () => {
  expect(linesOf(shown)).toEqual([
    'User       Cancel order 17.',
    'Model      At once.',
    'Call       cancel_order({"order_id":"17"})',
    'Error      Later.',
    'Call       cancel_order({"order_id":"17"})',
    'Answer     {"status":"cancelled"}',
    'Changed    /orders/17/status: "packed" -> "cancelled"',
    'Model      Done.',
    '           Anything else?',
    'User       No.',
    'Ended      answered',
    'Goal       /orders/17/status is "cancelled": holds',
    'Goal       answer {"contains":"gone"} does not hold',
  ]);
});

it('long texts of a conversation are shortened unless asked for, and other results have none', () => {
  const long = { ...shown, prompt: 'x'.repeat(600) };
  expect(linesOf(long)[0]).toMatch(/x\.\.\. 100 more characters; --full shows them$/);
  expect(linesOf(long, true)[0]).toHaveLength(611);
  expect(linesOf({ ...shown, conversation: undefined })).toEqual([]);
});

test('what is expected of a conversation is its goal, where that names no calls', () => {
  const goal = { state: { '/orders/17/status': 'cancelled' } };
  expect(expectedText({ tool: null, goal })).toBe('{"state":{"/orders/17/status":"cancelled"}}');
  expect(expectedText({ tool: null, calls: [{ tool: 'get_order' }], goal })).toBe('get_order with any arguments');
  expect(expectedText({ tool: null })).toBe('no call');
});
