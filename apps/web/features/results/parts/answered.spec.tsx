import { renderToStaticMarkup } from 'react-dom/server';
import { Answered } from './answered.js';

const goal = { answer: [{ contains: ['cancelled', 'canceled'] }, { number: 25, epsilon: 0.01, of: 'last' }] };
const lookedUp = {
  name: 'get_order',
  arguments: { order_id: '17' },
  answer: 'Error: The service is busy.',
  is_error: true,
  rule: 0,
  changes: [],
  fault: 'error',
  delay_ms: 1500,
};
const cancelled = {
  name: 'cancel_order',
  arguments: { order_id: '17' },
  answer: '{"status":"cancelled"}',
  is_error: false,
  rule: 1,
  changes: [
    { op: 'replace', path: '/orders/17/status', value: 'cancelled', was: 'packed' },
    { op: 'add', path: '/refunds/-', value: { order: '17' } },
  ],
};
const evidence = {
  pairs: [],
  missing: [],
  unexpected: [],
  conversation: {
    calls: null,
    forbidden: 0,
    state: 0.5,
    answer: 0.5,
    efficiency: 0.5,
    repeated_failures: 2,
    calls_after_goal: 1,
    recovered: 0,
    fabricated: 1,
    forbidden_calls: [{ called: 1, forbidden: 0 }],
    goal_state: [
      { pointer: '/orders/17/status', holds: true, expected: 'cancelled', actual: 'cancelled' },
      { pointer: '/refunds', holds: false, expected: [], actual: [{ order: '17' }] },
    ],
    goal_answer: [
      { check: 0, holds: true },
      { check: 1, holds: false, note: 'It has the number 100.' },
    ],
    failed_calls: [],
  },
};
const said = [
  { text: 'Let me see.', thoughts: null, refusal: null, finish_reason: 'tool_calls' },
  { text: 'It is cancelled.', thoughts: null, refusal: null, finish_reason: 'stop' },
];
const result = {
  outcome: 'scored',
  expected: { tool: null, params: null },
  called: [lookedUp, cancelled],
  evidence,
  said,
  conversation: { goal },
  exchange: {
    requests: [],
    replies: [],
    conversation: [
      { calls: [lookedUp, cancelled], user: null },
      { calls: [], user: 'It was the <wrong> size.' },
    ],
  },
};
const textOf = (shown: object): string =>
  renderToStaticMarkup(<Answered result={shown as never} />)
    .replaceAll(/<[^<>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"');

it('a conversation shows what its goal says: calls, state, answer, and its course', () => {
  const text = textOf(result);
  expect(text).toContain('Forbidden cancel_order was called (call 2)');
  expect(text).toContain('holds State /orders/17/status is "cancelled"');
  expect(text).toContain('does not hold State /refunds is [{order: "17"}] , expected []');
  expect(text).toContain('holds Answer contains "cancelled" or "canceled"');
  expect(text).toContain('Answer has the number 25 within 0.01 (last answer) It has the number 100.');
  expect(text).toContain(
    'Efficiency 50 %. 2 calls repeat one that failed. 1 call after the goal was reached. ' +
      'Did not recover from an error. The answer claims what the state does not hold.',
  );
  expect(text).not.toContain('Expected and called');
});

it('a conversation shows round by round what was said, called, answered and changed, and what the user said', () => {
  const text = textOf(result);
  expect(text).toContain('Conversation: 2 rounds');
  expect(text).toContain(
    'Model, round 1 Let me see. get_order (order_id: "17") rule 1; the rule answers with an error; takes 1,500 ms',
  );
  expect(text).toContain('Error: Error: The service is busy.');
  expect(text).toContain('/orders/17/status: "packed" → "cancelled"');
  expect(text).toContain('/refunds/-: {order: "17"} added');
  expect(text).toContain('It is cancelled. Finish reason: stop User It was the &lt;wrong&gt; size.');
});

it('a conversation without a score, or whose exchange is gone, shows what there is of it', () => {
  const errored = { ...result, outcome: 'errored', evidence: null, said: [], called: [] };
  expect(textOf(errored)).toContain('Model, round 1 Its reply is in the exchange. get_order (order_id: "17")');
  expect(textOf({ ...result, said: [], exchange: null })).toContain('Conversation No longer stored.');
});
