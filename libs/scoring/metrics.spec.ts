import { parseJson } from '#lib/contracts/json';
import { scoreMetric } from './metrics.js';

const f = [{ type: 'function', function: { name: 'f' } }];
const single = (expected: object, reply: object, options = {}) => scoreMetric('toolmark.single_turn', options, { case: expected, tools: f, reply });

test('a recorded reply is scored without a prompt in its case', () => {
  expect(single({ expected_tool: 'f' }, { tool_calls: [{ function: { name: 'F', arguments: '' } }] })).toMatchObject({ score: 1, passed: true });
});

test('5.0 in a recorded reply is 5 for the house and another value for Ragas', () => {
  const input = parseJson('{"called": [{"name": "f", "arguments": {"n": 5.0}}], "expected": [{"name": "f", "arguments": {"n": 5}}]}');
  expect(scoreMetric('ragas_tool_call_f1', {}, input).score).toBe(1);
  expect(scoreMetric('ragas_tool_call_accuracy', {}, input).score).toBe(0);
});

test('an unknown metric is refused with the ones that exist', () => {
  expect(() => scoreMetric('nope', {}, {})).toThrow(/No metric "nope". Metrics: toolmark.single_turn, /);
});

test('what offline scoring cannot decide is refused, not guessed', () => {
  expect(() => single({ expected_tool: 'f', expected_params: { q: 'x' }, param_scoring: 'semantic' }, {})).toThrow('embedding model');
  expect(() => single({ expected_tool: 'f', expected_params: { q: '(' }, param_scoring: 'regex' }, {})).toThrow('/input/case/expected_params/q');
});
