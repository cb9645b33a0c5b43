import { MetricAsked } from '#lib/contracts/metric';
import { checkMetrics } from './metrics.js';

const check = (...asked: unknown[]) => checkMetrics(asked.map((one) => MetricAsked.parse(one)));

test('the metrics of a run get their defaults, and their ids as names', () => {
  expect(check({ id: 'promptfoo_tool_call_f1', options: { threshold: 0.5 } }, 'ragas_tool_call_f1')).toEqual({
    metrics: [
      { id: 'promptfoo_tool_call_f1', as: 'promptfoo_tool_call_f1', options: { threshold: 0.5, inverse: false } },
      { id: 'ragas_tool_call_f1', as: 'ragas_tool_call_f1', options: {} },
    ],
    errors: [],
  });
});

test(
  'a metric is asked for with several options, each under a name; the plain one ' +
    'last, which a worker of the release before takes for it',
  () => {
    const { metrics, errors } = check(
      'ragas_tool_call_accuracy',
      { id: 'ragas_tool_call_accuracy', as: 'any-order', options: { strict_order: false } },
      { id: 'bfcl_ast', as: '__proto__' },
    );
    expect(errors).toEqual([]);
    expect(metrics.map(({ id, as, options }) => [id, as, options])).toEqual([
      ['ragas_tool_call_accuracy', 'any-order', { strict_order: false }],
      ['bfcl_ast', '__proto__', {}],
      ['ragas_tool_call_accuracy', 'ragas_tool_call_accuracy', { strict_order: true }],
    ]);
  },
);

test.each([
  ['nope', '/0', /No metric "nope". Nearest of a run's metrics, \d+ in all: /],
  [{ id: 'ragas_tool_call_fl' }, '/0/id', /: ragas_tool_call_f1, ragas_tool_call_accuracy, promptfoo_tool_call_f1\.$/],
  [{ id: 'toString' }, '/0/id', /No metric/],
  ['pass_hat_kk', '/0', /^(?!.*pass_hat_k[,.])/],
  [
    { id: 'ragas_tool_call_accuracy', options: { order: true } },
    '/0/options/order',
    /has no option "order". Its options: strict_order/,
  ],
  [{ id: 'axion_tool_correctness', options: { scoring: 'f2' } }, '/0/options/scoring', /recall/],
  [{ id: 'bfcl_ast', as: 'ragas_tool_call_f1' }, '/0/as', /the id of another metric/],
  ['difflib_ratio', '/0', /"difflib_ratio" cannot score a run\. .*"fuzzy"/],
  [{ id: 'axion_similarity' }, '/0/id', /axion_tool_correctness/],
  [{ id: 'pass_hat_k', as: 'reliable' }, '/0/id', /Every summary has it, as pass_hat_k: run with "samples" above 1/],
])('%j is refused', (asked, path, message) => {
  expect(check(asked).errors).toEqual([{ path, message: expect.stringMatching(message) as string }]);
});

test('two metrics with one name are refused, because a result has one score per name', () => {
  const twice = [
    {
      path: '/1/as',
      message: expect.stringMatching(/is listed twice. Rename one with "as"/) as string,
    },
  ];
  expect(check({ id: 'bfcl_ast' }, { id: 'bfcl_ast' }).errors).toEqual(twice);
  expect(check({ id: 'bfcl_ast', as: 'mine' }, { id: 'ragas_tool_call_f1', as: 'mine' }).errors).toEqual(twice);
});

test.each(['', 'a b', 'a,b', 'é', 'a'.repeat(65)])('%j is not a valid name', (as) => {
  expect(MetricAsked.safeParse({ id: 'bfcl_ast', as }).success).toBe(false);
});
