import { parseJson } from '#lib/contracts/json/json';
import { checkMetrics, METRICS, scoreMetric } from './metrics.js';

const f = [{ type: 'function', function: { name: 'f' } }];
const single = (expected: object, reply: object, options = {}) =>
  scoreMetric('toolmark.single_turn', options, { case: expected, tools: f, reply });

test('a recorded reply is scored without a prompt in its case', () => {
  expect(single({ expected_tool: 'f' }, { tool_calls: [{ function: { name: 'F', arguments: '' } }] })).toMatchObject({
    score: 1,
    passed: true,
  });
});

test('5.0 in a recorded reply is 5 for the house and another value for Ragas', () => {
  const input = parseJson(
    '{"called": [{"name": "f", "arguments": {"n": 5.0}}], "expected": [{"name": "f", "arguments": {"n": 5}}]}',
  );
  expect(scoreMetric('ragas_tool_call_f1', {}, input).score).toBe(1);
  expect(scoreMetric('ragas_tool_call_accuracy', {}, input).score).toBe(0);
});

test('an unknown metric is refused with the nearest names', () => {
  expect(() => scoreMetric('ragas_tool_f1', {}, {})).toThrow(
    /^No metric "ragas_tool_f1"\. Nearest of the metrics, \d+ in all: ragas_tool_call_f1, /,
  );
  expect(() => scoreMetric('toString', {}, {})).toThrow('No metric "toString"');
});

test('an unknown option is refused with the options of the metric, as in a run', () => {
  const asked = { id: 'axion_tool_correctness', options: { check_params: true } };
  expect(() => scoreMetric(asked.id, asked.options, { called: [], expected: [] })).toThrow(
    checkMetrics([asked]).errors[0]!.message,
  );
  expect(() => scoreMetric('ragas_tool_call_f1', { k: 1 }, { called: [], expected: [] })).toThrow(
    '"ragas_tool_call_f1" has no option "k". It has none.',
  );
  expect(() => scoreMetric('promptfoo_tool_call_f1', { inverse: 1 }, {})).toThrow(
    '/options/inverse must be of type boolean.',
  );
  expect(() => scoreMetric('promptfoo_tool_call_f1', 'inverse', {})).toThrow(
    '/options must be an object of options: threshold, inverse.',
  );
});

test('an option that is null has its default', () => {
  const input = { output: [{ name: 'a' }], expected: ['a', 'b'] };
  expect(scoreMetric('promptfoo_tool_call_f1', { threshold: null }, input)).toEqual(
    scoreMetric('promptfoo_tool_call_f1', {}, input),
  );
});

test.each(METRICS.map((metric) => [metric.id, metric] as const))(
  '%s scores its example, and nothing that lacks a field of it or has one more',
  (_id, metric) => {
    const {
      id,
      example: { input, options },
    } = metric;
    expect(scoreMetric(id, options, parseJson(JSON.stringify(input))).score).toEqual(expect.any(Number));
    for (const key of Object.keys(input)) {
      const { [key]: _left, ...rest } = input;
      expect(() => scoreMetric(id, options, rest)).toThrow(`/input/${key} is missing`);
    }
    expect(() => scoreMetric(id, options, { ...input, foo: 1 })).toThrow('/input/foo is not a field');
  },
);

test('Ragas reports precision and recall next to F1', () => {
  const call = (city: string) => ({ name: 'weather', arguments: { city } });
  expect(
    scoreMetric('ragas_tool_call_f1', {}, { called: [call('Paris')], expected: [call('Paris'), call('Rome')] }),
  ).toEqual({ score: 0.6667, precision: 1, recall: 0.5, tp: 1, fp: 0, fn: 1 });
  expect(scoreMetric('ragas_tool_call_f1', {}, { called: [], expected: [] })).toMatchObject({
    precision: 0,
    recall: 0,
  });
});

test('a call has no field that its metric does not know', () => {
  const refused = (id: string, call: object) =>
    expect(() => scoreMetric(id, {}, { called: [call], expected: [] })).toThrow('/input/called/0/args is not a field');
  for (const id of [
    'ragas_tool_call_f1',
    'ragas_tool_call_accuracy',
    'axion_tool_correctness',
    'deepeval_tool_correctness',
  ])
    refused(id, { name: 'f', args: {} });
  expect(() =>
    scoreMetric(
      'agentevals_trajectory_match',
      {},
      { outputs: [{ role: 'assistant', tool_calls: [{ tool: 'f' }] }], reference_outputs: [] },
    ),
  ).toThrow('must name its tool');
});

test('a case may have the fields that the API adds, and no unknown ones', () => {
  expect(
    single(
      { expected_tool: 'f', id: '0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e', position: 0 },
      { tool_calls: [{ name: 'f' }] },
    ).score,
  ).toBe(1);
  expect(() => single({ expected_tol: 'f' }, { content: '' })).toThrow(
    '/input/case/expected_tol is not a field of this object. Did you mean "expected_tool"?',
  );
});

test('a case that offline scoring cannot decide is refused, not guessed', () => {
  expect(() => single({ expected_tool: 'f', expected_params: { q: 'x' }, param_scoring: 'semantic' }, {})).toThrow(
    'embedding model',
  );
  expect(() => single({ expected_tool: 'f', expected_params: { q: '(' }, param_scoring: 'regex' }, {})).toThrow(
    '/input/case/expected_params/q',
  );
});
