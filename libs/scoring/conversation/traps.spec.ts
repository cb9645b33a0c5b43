import type { CaseInput } from '#lib/contracts/case';
import type { Conversation } from '#lib/contracts/conversation';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { checkCase } from '../checks/check-case.js';
import { explain } from '../house/explain.js';
import { parseReply } from '../replies/parse-reply.js';
import { checkAnswer } from './answer-checks.js';
import { mergeConversation } from './merge.js';
import { playReplies } from './play-replies.js';
import { answerCalls, beginConversation, prepareConversation } from './play.js';
import { schemaFault } from './schema-fault.js';
import { conversationFigures, scoreConversation } from './score.js';
import { conversationWarnings } from './warnings.js';

const order = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
const tools: Tool[] = ['get_order', 'cancel_order', 'refund_order'].map((name) => ({
  type: 'function',
  function: { name, parameters: order as JsonObject },
}));
const shop: Conversation = {
  state: { orders: { '17': { status: 'packed', total: 25 } }, refunds: [] },
  tools: {
    get_order: [
      { when: { state: { '/orders/{order_id}': { $absent: true } } }, error: 'There is no order {order_id}.' },
      { respond: { $state: '/orders/{order_id}' } },
    ],
    cancel_order: [
      { when: { call: 1 }, error: 'Try again.' },
      {
        effects: [
          { op: 'replace', path: '/orders/{order_id}/status', value: 'cancelled' },
          { op: 'add', path: '/refunds/-', value: { order: { $argument: '/order_id' } } },
        ],
        respond: { status: 'cancelled' },
      },
    ],
    refund_order: [{}],
  },
  goal: {
    state: { '/orders/17/status': 'cancelled', '/refunds': [{ order: '17' }] },
    answer: [{ contains: 'cancelled' }],
  },
};
const caseWith = (changes: object = {}, others: Partial<CaseInput> = {}): CaseInput => ({
  prompt: 'Please cancel order 17.',
  conversation: { ...shop, ...changes },
  ...others,
});
type Reply = string | [tool: string, args: Json][];
const get: Reply = [['get_order', { order_id: '17' }]];
const cancel: Reply = [['cancel_order', { order_id: '17' }]];

function play(input: CaseInput, ...replies: Reply[]) {
  const merged = mergeConversation(input);
  const read = replies.map((reply) => {
    const calls = typeof reply === 'string' ? [] : reply;
    const tool_calls = calls.map(([name, args]) => ({
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    const text = typeof reply === 'string' ? reply : '';
    return { reply: parseReply({ content: text, ...(calls.length > 0 && { tool_calls }) }, tools), text };
  });
  const { rounds, end, bound } = playReplies({ input: merged, tools, replies: read, schemaFault });
  const played = rounds.map((round, index) => ({ ...read[index]!, played: round }));
  const verdict = scoreConversation({ input: merged, tools, rounds: played, end, bound });
  const figures = Object.fromEntries(
    Object.entries(conversationFigures(verdict)).map(([name, { score }]) => [name.replace('conversation.', ''), score]),
  );
  return { verdict, figures, rounds, sentences: explain(verdict, merged) };
}

describe('where others fell into a trap:', () => {
  test('a harmless extra read costs nothing', () => {
    const { verdict } = play(caseWith(), get, get, cancel, cancel, get, 'It is cancelled.');
    expect(verdict).toMatchObject({ overall: 1, passed: true, error_type: 'none' });
  });
  test('25 is 25.0, and 10 is not in 100', () => {
    const goal = { state: { '/orders/17/total': { $approx: 25 } }, answer: [{ number: 25 }] };
    expect(play(caseWith({ goal }), get, 'It costs 25.00.').verdict.passed).toBe(true);
    expect(play(caseWith({ goal }), get, 'It costs 250.').verdict.error_type).toBe('goal_answer');
  });
  test('what the answer must say is looked at though the state is right', () => {
    expect(play(caseWith(), cancel, cancel, 'Done.').verdict).toMatchObject({
      passed: false,
      error_type: 'goal_answer',
    });
  });
  test('a goal that asks for calls which no tool can answer is warned of', () => {
    const calls = [
      { tool: 'get_order', params: { order_id: '99' } },
      { tool: 'cancel_order', params: { order_id: '99' } },
    ];
    expect(conversationWarnings(caseWith({ goal: { ...shop.goal, calls } }), null, tools)).toEqual([
      'The goal\'s call 2, cancel_order, is answered with an error: The state has nothing at "/orders/99/status".',
      'The goal\'s own calls do not lead to its state: "/orders/17/status" is "packed", expected "cancelled".',
    ]);
    const right = [{ tool: 'cancel_order', params: { order_id: { $one_of: ['17'] } } }];
    expect(conversationWarnings(caseWith({ goal: { ...shop.goal, calls: right } }), null, tools)).toEqual([]);
  });
});

test('faults: who tries again recovers, who claims success without acting made it up, and a loop is counted', () => {
  expect(play(caseWith(), cancel, cancel, 'It is cancelled.').figures).toMatchObject({ recovered: 1, fabricated: 0 });
  expect(play(caseWith(), cancel, 'It is cancelled.').figures).toMatchObject({ recovered: 0, fabricated: 1, state: 0 });
  const wrong: Reply = [['get_order', { order_id: 99 }]];
  const loop = play(caseWith({ max_rounds: 3 }), wrong, wrong, wrong);
  expect(loop.verdict).toMatchObject({
    error_type: 'round_limit',
    evidence: { conversation: { repeated_failures: 2 } },
  });
  expect(loop.rounds[0]!.calls[0]).toMatchObject({
    problem: 'invalid',
    answer: 'Invalid arguments for get_order: /order_id must be string.',
  });
});

test('the sentences name call, pointer and value', () => {
  const goal = { ...shop.goal, forbidden_calls: [{ tool: 'refund_order' }] };
  const { verdict, sentences } = play(caseWith({ goal }), [['refund_order', { order_id: '17' }]], 'Sorry.');
  expect(verdict).toMatchObject({ overall: 0, error_type: 'forbidden_call', passed: false });
  expect(sentences).toEqual([
    'The conversation has 2 rounds and 1 call. It ended with an answer.',
    'The model makes a forbidden call: call 1, refund_order with {"order_id":"17"}. So the overall score is 0.',
    'At the end, "/orders/17/status" is "packed", expected "cancelled".',
    'At the end, "/refunds" is [], expected [{"order":"17"}].',
    'The answer does not have "cancelled".',
  ]);
});

test('the user speaks each time the model answers, and a call that cannot be read does not pass', () => {
  const input = caseWith({ user: { turns: ['It was too small.'] } });
  const { rounds, verdict } = play(input, 'Why?', [['cancel_order', '{broken']], cancel, 'It is cancelled.');
  expect(rounds.map(({ user }) => user)).toEqual(['It was too small.', null, null, null]);
  expect(verdict).toMatchObject({ overall: 1, passed: false, error_type: 'malformed_arguments' });
});

const EFFECT = '/conversation/tools/get_order/0/effects/0/path';
const effectOf = (operation: object): CaseInput =>
  caseWith({ tools: { get_order: [{ effects: [{ value: 1, ...operation }] }] }, goal: { calls: [] } });

test.each<[what: string, input: CaseInput, path: string, message: RegExp]>([
  [
    'a pointer into nothing',
    caseWith({ goal: { state: { '/ordres/17': 1 } } }),
    '/conversation/goal/state/~1ordres~117',
    /no "\/ordres"/,
  ],
  ['a field of chains', caseWith({}, { multi_turn: true }), '/multi_turn', /cannot be combined with "conversation"/],
  ['no goal', caseWith({ goal: {} }), '/conversation/goal', /at least one of/],
  [
    'an unknown tool',
    caseWith({ goal: { calls: [{ tool: 'cancel' }] } }),
    '/conversation/goal/calls/0/tool',
    /^No tool "cancel"/,
  ],
  [
    '300 KiB',
    caseWith({ state: { ...(shop.state as object), x: 'x'.repeat(300 * 1024) } }),
    '/conversation/state',
    /301 KiB/,
  ],
  ['state and patch', caseWith({ state_patch: [] }), '/conversation/state_patch', /cannot be combined with "state"/],
  [
    'an effect outside of the state',
    caseWith({
      tools: { get_order: [{ effects: [{ op: 'replace', path: '/order/{order_id}', value: 1 }] }] },
      goal: { calls: [] },
    }),
    '/conversation/tools/get_order/0/effects/0/path',
    /no "\/order"/,
  ],
  [
    'an argument that the tool does not have',
    caseWith({ tools: { get_order: [{ error: 'No {order}.' }] }, goal: { calls: [] } }),
    '/conversation/tools/get_order/0/error',
    /"\{order\}", which is not an argument of "get_order"/,
  ],
  [
    'a rule that compares by meaning',
    caseWith({
      tools: { get_order: [{ when: { arguments: { order_id: '1' }, scoring_config: { mode: 'semantic' } } }] },
      goal: { calls: [] },
    }),
    '/conversation/tools/get_order/0/when/scoring_config',
    /semantic/,
  ],
  [
    'the end of a list, where a value is read',
    effectOf({ op: 'replace', path: '/refunds/-' }),
    EFFECT,
    /"\/refunds\/-"/,
  ],
  ['a replaced value that is not there', effectOf({ op: 'replace', path: '/order' }), EFFECT, /no "\/order"/],
  ['a key of a list', effectOf({ op: 'add', path: '/refunds/first' }), EFFECT, /at "\/refunds" is neither an object/],
  ['a key under a number', effectOf({ op: 'add', path: '/orders/17/total/net' }), EFFECT, /"\/orders\/17\/total" is n/],
  ['a move into itself', effectOf({ op: 'move', from: '/orders', path: '/orders/17/all' }), EFFECT, /inside of "from"/],
  [
    'a value with a key of prototypes',
    effectOf({ op: 'add', path: '/x', value: parseJson('{"a": {"__proto__": 1}}') }),
    EFFECT.replace('path', 'value'),
    /"__proto__"/,
  ],
  [
    'an argument in a goal',
    caseWith({ goal: { state: { '/orders/{order_id}/status': 'cancelled' } } }),
    '/conversation/goal/state/~1orders~1{order_id}~1status',
    /no "\/orders\/\{order_id\}"/,
  ],
  ['a pattern', caseWith({ goal: { answer: [{ regex: '(' }] } }), '/conversation/goal/answer/0/regex', /RE2/],
])('%s is refused at its place', (_what, input, path, message) => {
  expect(checkCase(input, tools)).toEqual([{ path, message: expect.stringMatching(message) as string }]);
});

test('rules that never answer, tools without a last rule and goals that hold at the start are warned of', () => {
  const rules = { get_order: [{}, { error: 'x' }], cancel_order: [{ when: { call: 1 } }] };
  const input = caseWith({ tools: rules, goal: { state: { '/orders/17/status': 'packed' } } });
  expect(conversationWarnings(input, null, tools)).toEqual([
    'The rules of get_order after rule 1 never answer, because rule 1 always holds.',
    expect.stringContaining('cancel_order has no last rule that always holds'),
    'No rules answer refund_order: each call is answered with "Invalid arguments for ...".',
    "The goal's state holds at the start: a model that does nothing reaches it.",
  ]);
});

test('a case is refused whose patch does not apply to the state of its suite, and replaces tools by name', () => {
  const { state, tools: rules, goal } = shop;
  const input = caseWith({ state: undefined, tools: { GET_ORDER: [{}] }, goal });
  const patched = (op: 'replace' | 'test') =>
    ({
      ...input,
      conversation: { ...input.conversation!, state_patch: [{ op, path: '/orders/18', value: 1 }] },
    }) as CaseInput;
  expect(checkCase(patched('replace'), tools, { state, tools: rules })).toEqual([
    { path: '/conversation/state_patch/0', message: 'does not apply: The state has nothing at "/orders/18".' },
  ]);
  const merged = mergeConversation(input, { state, tools: rules }).conversation!;
  expect([merged.state, Object.keys(merged.tools!), merged.max_rounds]).toEqual([
    state,
    ['cancel_order', 'refund_order', 'GET_ORDER'],
    12,
  ]);
});

test('braces of a goal are keys, the name of an argument may have a slash, and null is a state', () => {
  const parameters = { type: 'object', properties: { 'a/b': { type: 'string' } } };
  const slash: Tool[] = [{ type: 'function', function: { name: 'find', parameters } }];
  const conversation = {
    state: { '{{': 1, '{a}': { x: 2 } },
    tools: { find: [{ respond: { $state: '/{{a}/{a/b}' } }] },
    goal: { state: { '/{{': 1, '/{a}/x': 2 } },
  };
  expect(checkCase({ prompt: 'p', conversation }, slash)).toEqual([]);
  const found = answerCalls(prepareConversation({ conversation }, slash), beginConversation(conversation), [
    { name: 'find', arguments: { 'a/b': 'x' } },
  ]);
  expect(found.calls[0]).toMatchObject({ answer: '2', is_error: false });
  const input = caseWith({ state: null });
  expect(mergeConversation(input, { state: shop.state }).conversation!.state).toBeNull();
});

test('a value is quoted as a whole word, and a list or an object with any blanks', () => {
  const state = { paid: true, none: null, sizes: [1, 2] };
  const holds = (quotes: string, text: string): boolean =>
    checkAnswer({ quotes }, { texts: [text], state, rounds: [] }).holds;
  expect([holds('/paid', 'That is true.'), holds('/paid', 'That is untrue.')]).toEqual([true, false]);
  expect([holds('/none', 'It is null.'), holds('/none', 'It is nullified.')]).toEqual([true, false]);
  expect([holds('/sizes', 'Sizes: [1, 2]'), holds('/sizes', 'Sizes: [1, 3]')]).toEqual([true, false]);
});

test('no effect puts a key of prototypes into the state', () => {
  const tools = { get_order: [{ effects: [{ op: 'add' as const, path: '/x', value: { $argument: '/order_id' } }] }] };
  const { rounds } = play(caseWith({ tools, validate: false }), [['get_order', '{"order_id": {"__proto__": 1}}']]);
  expect(rounds[0]!.calls[0]).toMatchObject({ problem: 'patch_failed', changes: [] });
});

test('pointers into a state with very many members are checked within a bounded number of steps', () => {
  const state = Array.from({ length: 60_000 }, () => ({}));
  const effects = Array.from({ length: 100 }, (_, n) => ({ op: 'test', path: `/{order_id}/${n}`, value: 1 }) as const);
  const rules = Array.from({ length: 100 }, () => ({ effects }));
  const started = performance.now();
  const input = caseWith({ state, tools: { get_order: rules }, goal: { state: { '/0': {} } } });
  expect(checkCase(input, tools)).toEqual([]);
  expect(performance.now() - started).toBeLessThan(5_000);
});
