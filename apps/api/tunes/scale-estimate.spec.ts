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
