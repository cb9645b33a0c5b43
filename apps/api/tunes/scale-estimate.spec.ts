import { Estimate } from '#lib/contracts/estimate';
import { scaleEstimate } from './scale-estimate.js';

const target: Estimate['targets'][number] = {
  target: 'sim::a',
  requests: 40,
  cached: 0,
  prompt_tokens: 400,
  completion_tokens: 40,
  cost_usd: 0.4,
  duration_s: 4,
  tokens_by: 'rule',
  replies_by: 'rule',
};

it('a conversation takes several requests, and its range is scaled', () => {
  const range: Estimate['range'] = {
    requests: [10, 120],
    prompt_tokens: [100, 4000],
    completion_tokens: [10, 120],
    cost_usd: [0.2, 4],
  };
  const run: Estimate = { ...target, range, targets: [{ ...target, range }], cases: 10, counted_cases: 10 };
  expect(Estimate.parse(scaleEstimate(run, [25]))).toMatchObject({
    requests: 100,
    prompt_tokens: 1000,
    cost_usd: 1,
    duration_s: 10,
    range: { requests: [25, 300], prompt_tokens: [250, 10_000], completion_tokens: [25, 300], cost_usd: [0.5, 10] },
    targets: [{ requests: 100, range: { requests: [25, 300] } }],
  });
});

it('rounds the requests of each model, and does not understate their sum', () => {
  const run: Estimate = {
    ...target,
    requests: 80,
    targets: [target, { ...target, target: 'sim::b' }],
    cases: 40,
    counted_cases: 40,
  };
  const { targets, requests } = Estimate.parse(scaleEstimate(run, [628.5, 628.5]));
  expect([targets.map((one) => one.requests), requests]).toEqual([[629, 629], 1258]);
});
