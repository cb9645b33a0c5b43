import type { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { checkMetrics, METRICS, scoreMetrics } from '../metrics.js';
import type { PlayedCase } from './metric.js';
import { parseReply } from '../replies/parse-reply.js';

const string = { type: 'string' };
const tools: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: {
        type: 'object',
        properties: {
          city: string,
          days: { type: 'integer' },
          at: { type: 'object', properties: { lat: { type: 'number' } } },
        },
        required: ['city'],
      },
    },
  },
  { type: 'function', function: { name: 'news', parameters: { type: 'object', properties: {} } } },
  { type: 'function', function: { name: 'time' } },
];
type Call = [name: string, args: string];
const message = (calls: Call[]) => ({
  role: 'assistant',
  tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: args } })),
});
const answered = (expected: string, ...rounds: Call[][]): PlayedCase => ({
  case: { prompt: 'p', ...(parseJson(expected) as object) } as CaseInput,
  tools,
  rounds: rounds.map((calls) => ({ message: message(calls), reply: parseReply(message(calls), tools) })),
});
const score = (id: string, options: object, of: PlayedCase) =>
  scoreMetrics(checkMetrics([{ id, options: options as never }]).metrics, of)[id]!;
const all = checkMetrics(METRICS.map(({ id }) => id)).metrics;

const paris = '{"expected_tool": "weather", "expected_params": {"city": "Paris"}}';
const rightCall: Call = ['weather', '{"city": "Paris"}'];

test('a right call scores 1 under every metric that applies to one reply', () => {
  const scores = Object.entries(scoreMetrics(all, answered(paris, [rightCall])));
  expect(scores.filter(([, { score }]) => score === 1).map(([id]) => id)).toEqual(
    METRICS.filter(
      ({ id, notInRuns }) => !notInRuns && !['toolmark.multi_turn', 'toolmark.conversation'].includes(id),
    ).map(({ id }) => id),
  );
  expect(scores.filter(([, { score }]) => score === null).map(([, { reason }]) => reason)).toEqual([
    'The case is not a chain.',
    'The case is not a conversation.',
  ]);
});

test('one metric scores with several options, each under its name', () => {
  const swapped = answered(
    '{"expected_calls": [{"tool": "weather", "params": {"city": "Paris"}}, {"tool": "time", "params": {}}]}',
    [['time', '{}'], rightCall],
  );
  const id = 'ragas_tool_call_accuracy';
  const { metrics } = checkMetrics([
    id,
    { id, as: 'any-order', options: { strict_order: false } },
    { id: 'ragas_tool_call_f1', as: '__proto__', options: {} },
  ]);
  const scores = scoreMetrics(metrics, swapped);
  expect(Object.entries(scores).map(([name, { score }]) => [name, score])).toEqual([
    ['any-order', 1],
    ['__proto__', 1],
    [id, 0],
  ]);
});

test('metrics of a run of an earlier release score under their ids; those that do not score calls say why', () => {
  const before = (['ragas_tool_call_f1', 'axion_similarity', 'difflib_ratio', 'pass_hat_k'] as const).map((id) => ({
    id,
    options: {},
  }));
  expect(scoreMetrics(before, answered(paris, [rightCall]))).toEqual({
    ragas_tool_call_f1: expect.objectContaining({ score: 1 }) as object,
    axion_similarity: { score: null, reason: expect.stringContaining('toolmark score') as string },
    difflib_ratio: { score: null, reason: expect.stringContaining('toolmark score') as string },
    pass_hat_k: { score: null, reason: expect.stringContaining('Every summary has it') as string },
  });
});

test('5.0 reaches a metric as 5.0', () => {
  const five = answered('{"expected_tool": "weather", "expected_params": {"city": "Paris", "days": 5}}', [
    ['weather', '{"city": "Paris", "days": 5.0}'],
  ]);
  expect(score('ragas_tool_call_f1', {}, five).score).toBe(1);
  expect(score('ragas_tool_call_accuracy', {}, five).score).toBe(0.5);
  expect(score('bfcl_ast', {}, five)).toMatchObject({ valid: false, error_type: 'type_error:simple' });
});

test.each([
  ['ragas_tool_call_f1', 0],
  ['ragas_tool_call_accuracy', 1],
  ['axion_tool_correctness', 1],
  ['deepeval_tool_correctness', 1],
  ['bfcl_ast', 1],
  ['agentevals_trajectory_match', 1],
  ['promptfoo_tool_call_f1', null],
])('when nothing should be called and nothing is, %s scores %s', (id, wanted) => {
  expect(score(id, {}, answered('{"expected_tool": null}', [])).score).toBe(wanted);
});

test('of several acceptable tools the called one is the expected one, once per call', () => {
  const either = '{"expected_calls": [{"tool": ["news", "time"], "params": {}}, {"tool": "news", "params": {}}]}';
  expect(
    score(
      'ragas_tool_call_f1',
      {},
      answered(either, [
        ['news', ''],
        ['time', ''],
      ]),
    ),
  ).toMatchObject({ score: 1 });
  expect(
    score('promptfoo_tool_call_f1', {}, answered('{"expected_tool": ["news", "time"]}', [['time', '']])).score,
  ).toBe(1);
  expect(
    score('promptfoo_tool_call_f1', {}, answered('{"expected_tool": ["news", "time"]}', [['weather', '{}']])).score,
  ).toBe(0);
});

test('a metric that compares values exactly does not apply to matchers, but still compares names', () => {
  const matched = answered('{"expected_tool": "weather", "expected_params": {"city": {"$regex": "^Pa"}}}', [rightCall]);
  expect(score('ragas_tool_call_f1', {}, matched)).toEqual({
    score: null,
    reason: expect.stringContaining('matchers'),
  });
  expect(score('bfcl_ast', {}, matched)).toEqual({ score: null, reason: expect.stringContaining('$one_of') });
  expect(score('axion_tool_correctness', { check_parameters: true }, matched).score).toBeNull();
  expect(score('deepeval_tool_correctness', { evaluation_params: ['input_parameters'] }, matched).score).toBeNull();
  for (const id of ['axion_tool_correctness', 'deepeval_tool_correctness', 'promptfoo_tool_call_f1'])
    expect(score(id, {}, matched).score).toBe(1);
  expect(score('agentevals_trajectory_match', { tool_args_match_mode: 'ignore' }, matched).score).toBe(1);
  expect(score('ragas_tool_call_f1', {}, answered('{"expected_tool": "weather"}', [rightCall])).reason).toMatch(
    'says nothing of the arguments',
  );
});

test('a literal counts as its value under metrics that compare values exactly', () => {
  const literal =
    '{"expected_tool": "weather", "expected_params": {"city": "Paris", "at": {"$literal": {"lat": 1, "$any": [2]}}}}';
  const score1 = (id: string, args: string, options = {}) => score(id, options, answered(literal, [['weather', args]]));
  const options = { axion_tool_correctness: { check_parameters: true }, ragas_tool_call_f1: {}, bfcl_ast: {} };
  for (const [id, given] of Object.entries(options)) {
    expect(score1(id, '{"city": "Paris", "at": {"lat": 1, "$any": [2]}}', given).score).toBe(1);
    expect(score1(id, '{"city": "Paris", "at": {"lat": 1, "$any": [3]}}', given).score).toBeLessThan(1);
  }
});

test('BFCL takes $one_of and $optional as its own lists of acceptable values', () => {
  const either =
    '{"expected_tool": "weather", "expected_params": {"city": {"$one_of": ["Paris", "Rome"]}, ' +
    '"days": {"$optional": 2}}}';
  expect(score('bfcl_ast', {}, answered(either, [['weather', '{"city": "rome"}']])).score).toBe(1);
  expect(score('bfcl_ast', {}, answered(either, [['weather', '{"city": "Rome", "days": 3}']])).score).toBe(0);
  const nested =
    '{"expected_tool": "weather", "expected_params": {"city": "Paris", "at": {"lat": {"$one_of": [1, 2.5]}}}}';
  expect(score('bfcl_ast', {}, answered(nested, [['weather', '{"city": "Paris", "at": {"lat": 2.5}}']])).score).toBe(1);
});

test.each<[string, string, Call[], string | undefined]>([
  [
    'relevance, whichever call is made',
    '{"category": "live_relevance", "expected_tool": ["weather", "news"]}',
    [['nope', '{"x": 1}']],
    undefined,
  ],
  [
    'relevance, and none is',
    '{"category": "live_relevance", "expected_tool": ["weather", "news"]}',
    [],
    'relevance_error:decoder_failed',
  ],
  [
    'relevance, and the only one cannot be read',
    '{"category": "relevance", "expected_tool": "weather"}',
    [['weather', '{']],
    'relevance_error:decoder_failed',
  ],
  [
    'irrelevance',
    '{"category": "live_irrelevance", "expected_tool": null}',
    [rightCall],
    'irrelevance_error:decoder_success',
  ],
  ['simple', `{"category": "simple_python", ${paris.slice(1)}`, [], 'simple_function_checker:wrong_count'],
  ['multiple', `{"category": "live_multiple", ${paris.slice(1)}`, [], 'multiple_function_checker:wrong_count'],
  [
    'parallel with one call',
    `{"category": "live_parallel", ${paris.slice(1)}`,
    [],
    'parallel_function_checker_no_order:wrong_count',
  ],
  // A user-defined category may have the same name.
  [
    'simple, of which BFCL would look at the first tool alone',
    '{"category": "simple", "expected_tool": "news", "expected_params": {}}',
    [['news', '']],
    undefined,
  ],
  [
    'multiple, with two calls',
    '{"category": "multiple", "expected_calls": [{"tool": "weather", "params": {"city": "Paris"}}, ' +
      '{"tool": "news", "params": {}}]}',
    [['news', ''], rightCall],
    undefined,
  ],
  [
    'relevance, with arguments',
    `{"category": "relevance", ${paris.slice(1)}`,
    [['weather', '{"city": "Rome"}']],
    'value_error:string',
  ],
  ['irrelevance, with a call', `{"category": "irrelevance", ${paris.slice(1)}`, [rightCall], undefined],
  ['simple, without a call', '{"category": "simple", "expected_tool": null}', [], undefined],
  ['of its own', `{"category": "java questions", ${paris.slice(1)}`, [], 'multiple_function_checker:wrong_count'],
])('BFCL checks a case by its category: %s', (_category, expected, calls, error_type) => {
  expect(score('bfcl_ast', {}, answered(expected, calls))).toMatchObject({
    score: Number(error_type === undefined),
    ...(error_type && { error_type }),
  });
});

test('BFCL counts several calls in any order', () => {
  const two = '{"expected_calls": [{"tool": "weather", "params": {"city": "Rome"}}, {"tool": "news", "params": {}}]}';
  expect(
    score(
      'bfcl_ast',
      {},
      answered(two, [
        ['news', ''],
        ['weather', '{"city": "Rome"}'],
      ]),
    ).score,
  ).toBe(1);
  expect(score('bfcl_ast', {}, answered(two, [['news', '']]))).toMatchObject({
    score: 0,
    error_type: 'parallel_function_checker_no_order:wrong_count',
  });
});

test('a tool with a type unknown to BFCL is reported, and does not stop other metrics', () => {
  const odd: PlayedCase = {
    ...answered('{"expected_tool": "odd", "expected_params": {"x": 1}}', [['odd', '{"x": 1}']]),
    tools: [
      { type: 'function', function: { name: 'odd', parameters: { properties: { x: { type: ['integer', 'null'] } } } } },
    ],
  };
  const scores = scoreMetrics(all, odd);
  expect(scores.bfcl_ast).toEqual({ score: null, reason: expect.stringContaining('BFCL knows no type') });
  expect(scores.ragas_tool_call_f1!.score).toBe(1);
});

test('a malformed call counts by its name alone', () => {
  const broken = answered(paris, [['weather', '{"city": ']]);
  expect(score('promptfoo_tool_call_f1', {}, broken).score).toBe(1);
  expect(score('ragas_tool_call_f1', {}, broken).score).toBe(0);
  expect(score('bfcl_ast', {}, broken)).toMatchObject({ score: 0, error_type: 'ast_decoder:decoder_failed' });
});

describe('a chain', () => {
  const chain = '{"multi_turn": true, "expected_tool": "weather", "expected_params": {"city": "Paris"}}';
  test('is scored up to the expected call, against that call alone', () => {
    const long = answered(chain, [['time', '']], [rightCall, ['news', '']], [['news', '']]);
    expect(score('ragas_tool_call_f1', {}, long)).toMatchObject({ tp: 1, fp: 1, fn: 0 });
    expect(score('axion_tool_correctness', {}, long).score).toBe(1);
    expect(score('agentevals_trajectory_match', {}, long).score).toBe(0);
    expect(score('agentevals_trajectory_match', { trajectory_match_mode: 'superset' }, long).score).toBe(1);
    expect(score('toolmark.multi_turn', {}, long)).toMatchObject({ score: 1, hops: 2 });
    expect(score('toolmark.single_turn', {}, long).reason).toBe('The case is a chain.');
    expect(score('bfcl_ast', {}, long).score).toBeNull();
  });
  test('without detours is the same trajectory as the expected one', () => {
    expect(score('agentevals_trajectory_match', {}, answered(chain, [rightCall])).score).toBe(1);
  });
});

describe('a semantic case', () => {
  const semantic = answered(
    '{"expected_tool": "weather", "expected_params": {"city": {"$one_of": ["the capital of France", ' +
      '"Paris, France"]}, "days": 5, "at": {"name": "Paris", "near": "Seine"}}, "param_scoring": ' +
      '"semantic"}',
    [['weather', '{"city": "Ville Lumière", "days": 5, "at": {"name": "PARIS", "near": "La Seine"}}']],
  );
  test('is scored with the given similarities, and not without them', () => {
    const similarities = (expected: string) => (expected === 'the capital of France' ? 0.5 : 0.9);
    expect(score('toolmark.single_turn', {}, { ...semantic, similarities }).score).toBe(1);
    expect(score('toolmark.single_turn', {}, { ...semantic, similarities: () => 0.84 }).score).toBeCloseTo(
      0.6 + 0.4 / 3,
      9,
    );
    expect(score('toolmark.single_turn', {}, semantic)).toEqual({
      score: null,
      reason: expect.stringContaining('embedding model'),
    });
  });
});
