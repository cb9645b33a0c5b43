import type { CaseInput } from '#lib/contracts/case';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { isCheapToPlay, isCheapToReplay, isCheapToScore } from './is-cheap-to-score.js';

const tool = (parameters: object): Tool => ({
  type: 'function',
  function: { name: 'f', parameters: parameters as never },
});
const plain = tool({
  type: 'object',
  properties: { city: { type: 'string' }, days: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
  required: ['city'],
});
const call = (args: object | string): JsonObject => ({
  function: { name: 'f', arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});
const cheap = (input: CaseInput, message: JsonObject, of = plain): boolean =>
  isCheapToScore({ input, tools: [of] }, [message], []);
const expects = (params: JsonObject, more: CaseInput = {}): CaseInput => ({
  expected_tool: 'f',
  expected_params: params,
  ...more,
});

test.each<[string, CaseInput, JsonObject]>([
  ['a call', expects({ city: 'Paris' }), { tool_calls: [call({ city: 'Paris' })] }],
  [
    'a call in the text',
    expects({ city: 'Paris' }),
    { content: 'Sure: {"name": "f", "arguments": {"city": "Paris"}}' },
  ],
  [
    'five calls of five',
    { expected_calls: [1, 2, 3, 4, 5].map((days) => ({ tool: 'f', params: { days } })) },
    { tool_calls: [1, 2, 3, 4, 5].map((days) => call({ days })) },
  ],
  [
    'a long thought',
    expects({ city: 'Paris' }),
    { content: 'Let me see. '.repeat(4000), tool_calls: [call({ city: 'Paris' })] },
  ],
  [
    'a phrase compared by similarity',
    expects({ city: 'What is machine learning?' }, { param_scoring: 'fuzzy' }),
    { tool_calls: [call({ city: 'what is machine learning' })] },
  ],
  ['a short pattern', expects({ city: { $regex: '^Par' } }), { tool_calls: [call({ city: 'Paris' })] }],
  [
    'a text compared by meaning',
    expects({ city: 'the capital of France' }, { param_scoring: 'semantic' }),
    { tool_calls: [call({ city: 'Paris' })] },
  ],
])('an ordinary reply is scored on the main thread: %s', (_what, input, message) => {
  expect(cheap(input, message)).toBe(true);
});

test.each<[string, CaseInput, JsonObject, Tool]>([
  ['many calls', expects({}), { tool_calls: Array.from({ length: 100 }, () => call({})) }, plain],
  ['long arguments', expects({}), { tool_calls: [call({ city: 'x'.repeat(20_000) })] }, plain],
  [
    'long arguments that are an object',
    expects({}),
    { tool_calls: [{ function: { name: 'f', arguments: { city: 'x'.repeat(20_000) } } }] },
    plain,
  ],
  ['a long text to search', expects({}), { content: '{"name"'.repeat(5000) }, plain],
  ['a text of megabytes', expects({}), { content: 'x'.repeat(2 ** 21), tool_calls: [call({})] }, plain],
  [
    'long texts compared by similarity',
    expects({ city: 'x'.repeat(500) }, { param_scoring: 'fuzzy' }),
    { tool_calls: [call({ city: 'x'.repeat(500) })] },
    plain,
  ],
  [
    'the same for one argument alone',
    expects({ city: 'x'.repeat(500) }, { scoring_config: { params: { city: { mode: 'fuzzy' } } } }),
    { tool_calls: [call({ city: 'x'.repeat(500) })] },
    plain,
  ],
  [
    'a pattern over a long text',
    expects({ city: { $regex: '(a|b)*c'.repeat(20) } }),
    { tool_calls: [call({ city: 'x'.repeat(2000) })] },
    plain,
  ],
  [
    'a schema that refers to itself',
    expects({}),
    { tool_calls: [call({})] },
    tool({ properties: { child: { $ref: '#' } } }),
  ],
  [
    'a schema that doubles with each reference',
    expects({}),
    { tool_calls: [call({})] },
    tool({
      $defs: Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [
          `d${n}`,
          n === 19 ? {} : { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
        ]),
      ),
      properties: { city: { $ref: '#/$defs/d0' } },
    }),
  ],
  [
    'a schema whose references never end',
    expects({}),
    { tool_calls: [call({})] },
    tool({
      $defs: Object.fromEntries(
        Array.from({ length: 50_000 }, (_, n) => [`d${n}`, n === 49_999 ? {} : { $ref: `#/$defs/d${n + 1}` }]),
      ),
    }),
  ],
])('a reply that could take long goes to a thread: %s', (_what, input, message, of) => {
  expect(cheap(input, message, of)).toBe(false);
});

const moves = Array.from({ length: 100 }, () => ({ op: 'move' as const, from: '/list/0', path: '/list/9' }));
const conversation = (effects: typeof moves) => ({ goal: {}, tools: { f: [{ return: 'done', effects }] } });

test.each<[string, number, typeof moves, boolean]>([
  ['one operation on a small state', 100, moves.slice(0, 1), true],
  ['one operation on a large state', 30_000, moves.slice(0, 1), true],
  ['many operations on a small state', 100, moves, true],
  ['many operations on a large state', 30_000, moves, false],
])(
  'a call is answered on the main thread by what its rule does to the state: %s',
  (_what, items, effects, expected) => {
    const input: CaseInput = { conversation: conversation(effects) };
    const state = { list: Array<number>(items).fill(1) };
    const play = { input, tools: [plain] };
    expect(isCheapToPlay(play, { tool_calls: [call({ city: 'Paris' })] }, state)).toBe(expected);
    const played = [{ calls: [{ changes: effects }] }];
    expect(isCheapToReplay({ ...conversation(effects), state }, played)).toBe(expected);
  },
);
