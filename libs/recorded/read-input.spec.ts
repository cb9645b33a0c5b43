import { readdirSync, readFileSync } from 'node:fs';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { DIALECTS } from '#lib/providers/formats/formats';
import { METRICS, scoreMetric } from '#lib/scoring/metrics';
import type { MetricScore } from '#lib/scoring/metrics/metric';
import fc from '../../test/fast-check.js';
import { readInput } from './read-input.js';
import { isHostFailure } from '#lib/providers/replies/host-failure';
import { readBody } from '#lib/providers/formats/read-body';
import { readRecorded } from './read-recorded.js';

interface Call {
  name: string;
  arguments: JsonObject;
}
const value = fc.constantFrom<Json>('a', 'b', 1, 2.5, true, null, [1], { x: 1 });
const call = fc.record({
  name: fc.constantFrom('f', 'g', 'h'),
  arguments: fc.dictionary(fc.constantFrom('x', 'y'), value, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
});
const calls = fc.array(call, { maxLength: 4 });

const text = (made: Call): string => JSON.stringify(made.arguments);
const ofOpenai = (list: Call[]) =>
  list.map((one) => ({ id: 'c', type: 'function', function: { name: one.name, arguments: text(one) } }));
const ofRagas = (list: Call[]) => list.map((one) => ({ name: one.name, args: one.arguments }));
const ofDeepEval = (list: Call[]) =>
  list.map((one) => ({
    name: one.name,
    type: 'FUNCTION',
    inputParameters: one.arguments,
    description: null,
    output: null,
  }));
const human = { type: 'human', content: 'q', metadata: null };
const user = { role: 'user', content: 'q' };

/** The calls of one reply, in the format of each provider. */
const REPLIES: Record<string, (made: Call[]) => object> = {
  'openai.chat': (made) => ({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: null, tool_calls: ofOpenai(made) } }],
  }),
  'openai.responses': (made) => ({
    object: 'response',
    status: 'completed',
    output: [
      { type: 'reasoning' },
      ...made.map((one) => ({ type: 'function_call', call_id: 'c', name: one.name, arguments: text(one) })),
    ],
  }),
  'anthropic.messages': (made) => ({
    type: 'message',
    role: 'assistant',
    content: made.map((one) => ({ type: 'tool_use', id: 'c', name: one.name, input: one.arguments })),
  }),
  'google.generate_content': (made) => ({
    candidates: [
      { content: { parts: made.map((one) => ({ functionCall: { name: one.name, args: one.arguments } })) } },
    ],
  }),
  'inspect.sample': (made) => ({
    id: 1,
    epoch: 1,
    messages: [
      user,
      ...made.map((one) => ({
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', function: one.name, arguments: one.arguments }],
      })),
      { role: 'assistant', content: 'Done.' },
    ],
    output: { choices: [] },
  }),
  'openai.messages': (made) => [
    user,
    ...made.map((one) => ({ role: 'assistant', content: null, tool_calls: ofOpenai([one]) })),
    { role: 'assistant', content: 'Done.' },
  ],
  'langchain.messages': (made) => ({ messages: [human, { type: 'ai', content: '', tool_calls: ofRagas(made) }] }),
};
/** Actual and expected calls in one document. */
const PAIRS: Record<string, (made: Call[], expected: Call[]) => object> = {
  'our own names': (made, expected) => ({ called: made, expected }),
  'the names of Axion': (made, expected) => ({ tools_called: ofRagas(made), expected_tools: ofRagas(expected) }),
  'calls of OpenAI': (made, expected) => ({ called: ofOpenai(made), expected: ofOpenai(expected) }),
  'ragas.multi_turn_sample': (made, expected) => ({
    user_input: [
      human,
      ...made.flatMap((one) => [
        { type: 'ai', content: '', tool_calls: ofRagas([one]) },
        { type: 'tool', content: 'r' },
      ]),
      { type: 'ai', content: 'Done.', tool_calls: null },
    ],
    reference_tool_calls: ofRagas(expected),
    reference: null,
  }),
  'deepeval.test_case': (made, expected) => ({
    name: 't',
    input: 'q',
    actualOutput: 'a',
    toolsCalled: ofDeepEval(made),
    expectedTools: ofDeepEval(expected),
    success: true,
    metricsData: [],
  }),
  'agentevals.outputs': (made, expected) => ({
    outputs: { messages: [human, { type: 'ai', content: '', tool_calls: ofRagas(made) }] },
    reference_outputs: [user, { role: 'assistant', tool_calls: ofOpenai(expected) }],
  }),
};
for (const [readAs, reply] of Object.entries(REPLIES)) {
  PAIRS[`${readAs}, next to the expected ones`] = (made, expected) => ({ called: reply(made), expected });
  if (readAs !== 'openai.messages')
    PAIRS[`${readAs}, with the expected ones in it`] = (made, expected) => ({
      ...reply(made),
      expected: ofRagas(expected),
    });
}

const deepEval = (list: Call[]) => list.map((one) => ({ name: one.name, input_parameters: one.arguments }));
const assistant = (list: Call[]) => [{ role: 'assistant', ...(list.length && { tool_calls: ofOpenai(list) }) }];
/** The input of each metric, under Toolmark's names. */
const OWN: [id: string, options: object, input: (made: Call[], expected: Call[]) => object][] = [
  ['ragas_tool_call_f1', {}, (called, expected) => ({ called, expected })],
  ['ragas_tool_call_accuracy', { strict_order: false }, (called, expected) => ({ called, expected })],
  ['axion_tool_correctness', { check_parameters: true, scoring: 'f1' }, (called, expected) => ({ called, expected })],
  [
    'deepeval_tool_correctness',
    { evaluation_params: ['input_parameters', 'output'] },
    (made, expected) => ({ called: deepEval(made), expected: deepEval(expected) }),
  ],
  [
    'agentevals_trajectory_match',
    { trajectory_match_mode: 'unordered' },
    (made, expected) => ({ outputs: assistant(made), reference_outputs: assistant(expected) }),
  ],
  [
    'promptfoo_tool_call_f1',
    {},
    (made, expected) => ({ output: ofOpenai(made), expected: expected.map((one) => one.name) }),
  ],
];
const scored = (score: () => MetricScore): unknown => {
  try {
    return score();
  } catch (error) {
    return (error as Error).message;
  }
};

describe.each(OWN)('%s %j', (id, options, own) => {
  test.each(Object.keys(PAIRS))('scores %s as its own input', (shape) => {
    fc.assert(
      fc.property(calls, calls, (made, expected) => {
        // Two providers express an empty reply as an empty list, which is not a reply.
        if (made.length === 0 && shape.startsWith('openai.responses')) made = [{ name: 'f', arguments: {} }];
        const document = parseJson(JSON.stringify(PAIRS[shape]!(made, expected)));
        const { input, readAs } = readInput(id, document);
        expect(scored(() => scoreMetric(id, options, input))).toEqual(
          scored(() => scoreMetric(id, options, own(made, expected))),
        );
        expect(readAs).toBe(/^[a-z]+\.[a-z_]+/.exec(shape)?.[0]);
      }),
      { numRuns: 30 },
    );
  });
});

const tools = ['f', 'g', 'h'].map((name) => ({ type: 'function', function: { name } }));
const last = { name: 'g', arguments: { x: 1 } };

test.each(Object.entries(REPLIES))('a reply or chain of %s scores like its messages', (readAs, reply) => {
  fc.assert(
    fc.property(call, (first) => {
      const one = { case: { expected_tool: first.name, expected_params: first.arguments }, tools };
      const several = {
        case: { ...one.case, expected_tool: 'g', expected_params: { x: 1 }, multi_turn: true, optimal_hops: 1 },
        tools,
      };
      const message = (made: Call[]) => ({ tool_calls: ofOpenai(made) });
      // A conversation that continues after its call is a chain.
      const isChain = readAs === 'inspect.sample' || readAs === 'openai.messages';
      if (isChain)
        expect(() => readInput('toolmark.single_turn', { ...one, reply: reply([first]) })).toThrow(
          'toolmark.multi_turn takes them',
        );
      else {
        const single = readInput('toolmark.single_turn', { ...one, reply: reply([first]) });
        expect(single.readAs).toBe(readAs);
        expect(scoreMetric('toolmark.single_turn', {}, single.input)).toMatchObject({
          score: scoreMetric('toolmark.single_turn', {}, { ...one, reply: message([first]) }).score,
          passed: true,
        });
      }
      const chain = readInput('toolmark.multi_turn', {
        ...several,
        rounds: isChain
          ? reply([first, last])
          : [{ reply: reply([first]) }, { reply: reply([last]), tool_messages: [] }],
      } as unknown as JsonObject);
      const wanted = scoreMetric(
        'toolmark.multi_turn',
        {},
        { ...several, rounds: [{ reply: message([first]) }, { reply: message([last]) }] },
      );
      expect(chain.readAs).toBe(readAs);
      expect(scoreMetric('toolmark.multi_turn', {}, chain.input)).toMatchObject({
        score: wanted.score,
        hops: wanted.hops,
      });
    }),
    { numRuns: 30 },
  );
});

test('the vectors and examples are read in their own format', () => {
  const read = (id: string, input: unknown) => readInput(id, input).readAs;
  for (const { id, example } of METRICS) expect(read(id, example.input)).toBeUndefined();
  const vectors = new URL('../scoring/vectors/', import.meta.url);
  for (const file of readdirSync(vectors).filter((name) => name !== 'statistics.jsonl')) {
    for (const line of readFileSync(new URL(file, vectors), 'utf8').trim().split('\n')) {
      const { metric, options, input } = parseJson(line) as JsonObject;
      const own = readInput(metric as string, input);
      expect(own.readAs).toBeUndefined();
      expect(scored(() => scoreMetric(metric as string, options, own.input))).toEqual(
        scored(() => scoreMetric(metric as string, options, input)),
      );
    }
  }
});

test.each(Object.keys(DIALECTS) as ProviderKind[])('a recorded response of kind %s is read as in a run', (kind) => {
  const answers = parseJson(
    readFileSync(new URL(`../providers/formats/${kind}/answers.json`, import.meta.url), 'utf8'),
  ) as JsonObject[];
  const said = answers.flatMap(({ body }) => {
    const read = body === undefined ? undefined : readBody(body, [DIALECTS[kind].fromWire]);
    if (!read || isHostFailure(read)) return [];
    return [[readRecorded(body).rounds, [{ ...read.message, finish_reason: read.finishReason }]]];
  });
  expect(said.length).toBeGreaterThan(0);
  for (const [recorded, run] of said) expect(recorded).toEqual(run);
});

test('a provider response is read for BFCL and promptfoo too', () => {
  const reply = REPLIES['openai.chat']!([{ name: 'f', arguments: { a: 1 } }]);
  const functions = [
    {
      type: 'function',
      function: { name: 'f', parameters: { type: 'dict', properties: { a: { type: 'integer' } }, required: ['a'] } },
    },
  ];
  const bfcl = readInput('bfcl_ast', {
    test_category: 'simple',
    function: functions,
    model_output: reply,
    ground_truth: [{ f: { a: [1] } }],
  } as unknown as JsonObject);
  expect([bfcl.readAs, scoreMetric('bfcl_ast', {}, bfcl.input).score]).toEqual(['openai.chat', 1]);
  const cut = { choices: [{ message: { tool_calls: [{ function: { name: 'f', arguments: '{"a": ' } }] } }] };
  expect(
    scoreMetric(
      'bfcl_ast',
      {},
      readInput('bfcl_ast', {
        category: 'simple',
        functions,
        model_output: cut,
        possible_answer: [],
      } as unknown as JsonObject).input,
    ).error_type,
  ).toBe('ast_decoder:decoder_failed');
  const promptfoo = readInput('promptfoo_tool_call_f1', { output: reply, expected: 'f' } as JsonObject);
  expect([promptfoo.readAs, scoreMetric('promptfoo_tool_call_f1', {}, promptfoo.input).score]).toEqual([
    'openai.chat',
    1,
  ]);
  expect(() => readInput('promptfoo_tool_call_f1', { output: { error: 'Quota' }, expected: 'f' })).toThrow(
    '/input/output: It is an error, not a reply: Quota',
  );
  expect(readInput('pass_hat_k', { num_trials: 4, success_count: 3, k: 2 }).input).toEqual({
    trials: 4,
    successes: 3,
    k: 2,
  });
});

test('an unreadable call counts by its name alone, and an unreadable expected call is refused', () => {
  const broken = [{ function: { name: 'f', arguments: '{"a": ' } }];
  const read = readInput('axion_tool_correctness', { called: broken, expected: [{ name: 'f', args: {} }] });
  expect(scoreMetric('axion_tool_correctness', {}, read.input).score).toBe(1);
  expect(scoreMetric('axion_tool_correctness', { check_parameters: true }, read.input).score).toBe(0);
  expect(() => readInput('axion_tool_correctness', { called: [], reference_tool_calls: broken })).toThrow(
    '/input/reference_tool_calls: the arguments of "f" are not JSON',
  );
  expect(() =>
    readInput('agentevals_trajectory_match', {
      outputs: [],
      reference_outputs: [{ role: 'assistant', tool_calls: ['f'] }],
    }),
  ).toThrow('must be an object, a call');
});

test('no metric compares the ids of calls', () => {
  const [made, gold] = ['call_9', 'adk-1'].map((id) => [
    { id, type: 'function', function: { name: 'f', arguments: '{}' } },
  ]);
  const inputs: [string, JsonObject][] = [
    ['ragas_tool_call_f1', { called: made!, expected: gold! }],
    ['ragas_tool_call_accuracy', { called: made!, expected: gold! }],
    ['axion_tool_correctness', { called: made!, expected: gold! }],
    ['deepeval_tool_correctness', { called: made!, expected: gold! }],
    ['promptfoo_tool_call_f1', { output: made!, expected_tools: gold! }],
    [
      'agentevals_trajectory_match',
      {
        outputs: [{ role: 'assistant', content: '', tool_calls: made! }],
        reference_outputs: [{ role: 'assistant', content: '', tool_calls: gold! }],
      },
    ],
    [
      'toolmark.single_turn',
      {
        case: { expected_calls: [{ tool: 'f', params: {} }] },
        tools: [{ type: 'function', function: { name: 'f' } }],
        reply: { role: 'assistant', content: null, tool_calls: made! },
      },
    ],
  ];
  for (const [id, input] of inputs) expect(scoreMetric(id, {}, readInput(id, input).input).score).toBe(1);
});

test('calls in a text as items of a response count, at any position', () => {
  const item = (name: string): string => JSON.stringify({ type: 'function_call', name, arguments: '{}' });
  const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));
  const expected = [{ name: 'f' }, { name: 'g' }];
  for (const said of [
    `${item('f')}\n${item('g')}`,
    `I look.\n${item('f')}\nAnd then:\n${item('g')}`,
    `[${item('f')},${item('g')}]`,
  ]) {
    const wanted = { expected_calls: expected.map(({ name }) => ({ tool: name, params: {} })) };
    const inputs: [string, JsonObject][] = [
      ['toolmark.single_turn', { case: wanted, tools, reply: said }],
      ['ragas_tool_call_f1', { called: [{ role: 'assistant', content: said }], expected }],
      ['promptfoo_tool_call_f1', { output: said, expected: ['f', 'g'] }],
    ];
    for (const [id, input] of inputs) expect(scoreMetric(id, {}, readInput(id, input).input).score).toBe(1);
  }
  const quoted = { case: { expected_tool: 'f' }, tools, reply: JSON.stringify(item('f')) };
  expect(() => readInput('toolmark.single_turn', quoted)).toThrow('/input/reply: It is JSON encoded twice');
  const one = parseJson(item('f'));
  const functions = [{ name: 'f', parameters: { type: 'dict', properties: {}, required: [] } }];
  const bfcl = { category: 'simple', functions, model_output: one, possible_answer: [{ f: {} }] };
  for (const [id, input] of [
    ['toolmark.single_turn', { case: { expected_tool: 'f' }, tools, reply: one }],
    ['ragas_tool_call_f1', { called: one, expected: [{ name: 'f' }] }],
    ['bfcl_ast', bfcl],
  ] as [string, JsonObject][])
    expect(scoreMetric(id, {}, readInput(id, input).input).score).toBe(1);
});

test('null means no calls for Axion only, and a test case without calls is refused', () => {
  expect(
    scoreMetric(
      'axion_tool_correctness',
      {},
      readInput('axion_tool_correctness', { tools_called: null, expected_tools: null }).input,
    ).score,
  ).toBe(1);
  expect(() => readInput('ragas_tool_call_f1', { tools_called: null, expected_tools: [] })).toThrow(
    '/input/tools_called must be a list of calls, [] where there are none.',
  );
  expect(() =>
    readInput('deepeval_tool_correctness', { input: 'q', actual_output: 'a', tools_called: null, expected_tools: [] }),
  ).toThrow('must be a list of calls');
});

test('the type and the output of a call belong to DeepEval', () => {
  const test = (type: string, output: Json) =>
    readInput('deepeval_tool_correctness', {
      input: 'q',
      tools_called: [{ name: 'f', type, output }],
      expected_tools: [{ name: 'f', type: 'function', output: 1 }],
    }).input;
  const score = (type: string, output: Json) =>
    scoreMetric('deepeval_tool_correctness', { evaluation_params: ['output'] }, test(type, output)).score;
  expect([score('FUNCTION', 1), score('tool_call', 1), score('MCP', 1), score('FUNCTION', 2)]).toEqual([1, 1, 0, 0]);
});

test.each(METRICS.map(({ id }) => id))('%s describes its input if it is missing', (id) => {
  for (const nothing of [undefined, null, [], 'text'])
    expect(() => readInput(id, nothing)).toThrow(`The input of ${id}, for example: {`);
});
