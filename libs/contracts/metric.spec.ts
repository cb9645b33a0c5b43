import { checkMetrics } from './metric.js';

test('the metrics of a run get their defaults', () => {
  expect(checkMetrics([{ id: 'promptfoo_tool_call_f1', options: { threshold: 0.5 } }, { id: 'ragas_tool_call_f1', options: {} }])).toEqual({
    metrics: [{ id: 'promptfoo_tool_call_f1', options: { threshold: 0.5, inverse: false } }, { id: 'ragas_tool_call_f1', options: {} }],
    errors: [],
  });
});

test.each([
  [{ id: 'nope', options: {} }, '/0/id', /No metric "nope". Metrics: toolmark.single_turn, .*pass_hat_k/],
  [{ id: 'toString', options: {} }, '/0/id', /No metric/],
  [{ id: 'ragas_tool_call_accuracy', options: { order: true } }, '/0/options/order', /has no option "order". Its options: strict_order/],
  [{ id: 'axion_tool_correctness', options: { scoring: 'f2' } }, '/0/options/scoring', /recall/],
])('%j is refused', (asked, path, message) => {
  expect(checkMetrics([asked]).errors).toEqual([{ path, message: expect.stringMatching(message) as string }]);
});

test('the same metric twice is refused: a result has one score of each', () => {
  expect(checkMetrics([{ id: 'bfcl_ast', options: {} }, { id: 'bfcl_ast', options: {} }]).errors).toMatchObject([{ path: '/1/id' }]);
});
