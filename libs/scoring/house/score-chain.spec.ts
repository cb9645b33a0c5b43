import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import { explain } from './explain.js';
import { parseReply } from '../replies/parse-reply.js';
import { scoreChain } from './score-chain.js';

const tools = ['search', 'details', 'book'].map((name): Tool => ({ type: 'function', function: { name } }));
const book: CaseInput = {
  prompt: 'Book it.',
  multi_turn: true,
  expected_tool: 'book',
  expected_params: { to: 'Rome' },
  optimal_hops: 2,
  valid_prerequisites: ['search'],
};
type Call = [name: string, args: object];
const play = (input: CaseInput, ...rounds: Call[][]) => playUnder(1, input, ...rounds);
const playUnder = (passThreshold: number, input: CaseInput, ...rounds: Call[][]) =>
  scoreChain(
    input,
    tools,
    passThreshold,
    rounds.map((calls) =>
      parseReply(
        { tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: JSON.stringify(args) } })) },
        tools,
      ),
    ),
  );
const right: Call = ['book', { to: 'Rome' }];

test('the shortest path to the expected tool scores 1', () => {
  expect(play(book, [['search', { q: 1 }]], [right])).toMatchObject({
    overall: 1,
    completion: 1,
    efficiency: 1,
    hops: 2,
    passed: true,
    error_type: 'none',
  });
});

test('calls after the expected tool do not affect the score, even in the same round', () => {
  expect(play(book, [['search', {}], right, ['details', {}]], [['search', {}]])).toMatchObject({ overall: 1, hops: 2 });
});

test('a longer path, a repeated call and a detour reduce the score', () => {
  const verdict = play(book, [['search', { q: 1 }]], [['search', { q: 1 }]], [['details', {}]], [right]);
  expect(verdict).toMatchObject({ completion: 1, efficiency: 0.5, hops: 4, passed: false, error_type: 'long_way' });
  expect([verdict.redundancy, verdict.detour]).toEqual([0.1, 0.1]);
  expect(verdict.overall).toBeCloseTo(0.3, 9);
});

test('a correct end after too many calls is too long a chain, unless its score passes', () => {
  const longer = (passThreshold: number, end: Call = right) =>
    playUnder(
      passThreshold,
      book,
      [
        ['search', { q: 1 }],
        ['search', { q: 2 }],
      ],
      [end],
    );
  expect(longer(1)).toMatchObject({
    passed: false,
    error_type: 'long_way',
    evidence: { pairs: [{ arguments: [{ verdict: 'match' }] }] },
  });
  expect(longer(0.6)).toMatchObject({ passed: true, error_type: 'none' });
  expect(longer(1, ['book', { to: 'Oslo' }])).toMatchObject({ passed: false, error_type: 'wrong_argument' });
  expect(
    play(
      book,
      [
        ['search', { q: 1 }],
        ['search', { q: 2 }],
      ],
      [],
    ),
  ).toMatchObject({ error_type: 'incomplete_chain' });
});

test('without a list of prerequisites nothing is a detour, and without optimal hops no path is too long', () => {
  expect(
    play({ ...book, valid_prerequisites: null, optimal_hops: null }, [['details', {}]], [['search', {}]], [right]),
  ).toMatchObject({ overall: 1, detour: 0, efficiency: 1 });
});

test('a wrong argument at the end reduces completion by its share', () => {
  expect(play(book, [['search', {}]], [['book', { to: 'Oslo' }]])).toMatchObject({
    completion: 0.6,
    tool_score: 1,
    param_score: 0,
    error_type: 'wrong_argument',
  });
});

test.each<[string, Call[][], string]>([
  ['nothing was called', [[]], 'no_call'],
  ['the model stopped early', [[['search', {}]], []], 'incomplete_chain'],
  ['the rounds ran out', [[['search', {}]], [['details', {}]]], 'round_limit'],
  ['an unknown tool was called', [[['invented', {}]], []], 'unknown_tool'],
])('a chain that ends before the expected tool scores 0: %s', (_why, rounds, errorType) => {
  expect(play({ ...book, max_rounds: 2 }, ...rounds)).toMatchObject({
    overall: 0,
    tool_score: 0,
    param_score: 0,
    completion: 0,
    passed: false,
    error_type: errorType,
  });
});

test('where no tool should be called, calling nothing scores 1 and anything else 0', () => {
  const none: CaseInput = { prompt: 'Thanks!', multi_turn: true, expected_tool: null };
  expect(play(none, [])).toMatchObject({ overall: 1, passed: true, error_type: 'none' });
  expect(play(none, [['search', {}]], [])).toMatchObject({ overall: 0, passed: false, error_type: 'unexpected_call' });
});

describe('a chain is explained', () => {
  const told = (input: CaseInput, ...rounds: Call[][]) => explain(play(input, ...rounds), input);
  test('by its path', () => {
    expect(told(book, [right])).toEqual([
      'The chain reaches "book" with its first call.',
      'All expected arguments match.',
    ]);
    expect(told(book, [['search', { q: 1 }]], [['search', { q: 1 }]], [['details', {}]], [right])).toEqual([
      'The chain reaches "book" with call 4, after "search", "search", "details".',
      'All expected arguments match.',
      'The chain makes 4 calls where 2 would do (times 0.5). 1 call repeats the one before (minus 0.1). 1 ' +
        'call is not a step on the way (minus 0.1).',
    ]);
  });
  test('by where it ended', () => {
    expect(told({ ...book, max_rounds: 2 }, [['search', {}]], [['details', {}]])).toEqual([
      '"book" should be called; the chain calls "search", "details" until its rounds run out.',
    ]);
    expect(told(book, [['search', {}]], [])).toEqual([
      '"book" should be called; the chain calls "search" and nothing more.',
    ]);
    expect(told(book, [])).toEqual(['"book" should be called, but the reply calls nothing.']);
  });
});
