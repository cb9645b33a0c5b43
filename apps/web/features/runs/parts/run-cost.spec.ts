import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { costText, isAllStored, modelCostText } from './run-cost.js';

const cost = (actual: Partial<Run['actual']>) => costText({ actual: actual as Run['actual'] });

it('the cost of a run is what is known of it', () => {
  expect(cost({ cost_usd: 0.2249, known_cost_usd: 0.2249 })).toBe('$0.2249');
  expect(cost({ cost_usd: null, known_cost_usd: 0.2249 })).toBe('at least $0.2249');
  expect(cost({ cost_usd: null, known_cost_usd: 0 })).toBe('no price');
  expect(costText({ actual: null })).toBe('');
});

it('a model without a cost says why', () => {
  const model = (change: Partial<Summary>) =>
    modelCostText({ cost_usd: null, cases: 5, scored: 5, usage: { prompt_tokens: 9 }, ...change } as Summary);
  expect(model({ cases: 0, cost_usd: 0 })).toBe('not asked');
  expect(model({})).toBe('no price');
  expect(model({ scored: 0, usage: { prompt_tokens: 0, completion_tokens: 0 } })).toBe('no reply');
  expect(model({ cost_usd: 1.5 })).toBe('$1.50');
});

it('a run of stored replies alone made no request', () => {
  const of = (requests: number, cached: number) => isAllStored({ actual: { requests, cached } as Run['actual'] });
  expect([of(0, 55), of(1, 54), of(0, 0), isAllStored({ actual: null })]).toEqual([true, false, false, false]);
});
