import { addUsage, costByPrices, costOf, NO_USAGE, type ModelPrices } from './cost.js';

const prices: ModelPrices = {
  inputCostPerMtok: 3,
  outputCostPerMtok: 15,
  cacheReadCostPerMtok: 0.3,
  cacheWrite5mCostPerMtok: 3.75,
  cacheWrite1hCostPerMtok: 6,
};
const usage = {
  ...NO_USAGE,
  promptTokens: 12_307,
  completionTokens: 550,
  cacheReadTokens: 10_000,
  cacheWrite5mTokens: 2000,
  cacheWrite1hTokens: 304,
};

it('each token of a request is billed once, by the price of what the cache did with it', () => {
  const cents = (3 * 3 + 10_000 * 0.3 + 2000 * 3.75 + 304 * 6 + 550 * 15) / 1e6;
  expect(costOf(usage, prices)).toBeCloseTo(cents, 12);
});

it('prices of the cache that are left out are those of input', () => {
  const plain = { ...prices, cacheReadCostPerMtok: null, cacheWrite5mCostPerMtok: null, cacheWrite1hCostPerMtok: null };
  expect(costOf(usage, plain)).toBeCloseTo((12_307 * 3 + 550 * 15) / 1e6, 12);
  expect(costOf(usage, { ...prices, cacheReadCostPerMtok: 0 })).toBeLessThan(costOf(usage, prices)!);
});

it('what the provider says that it billed wins over prices, and needs none', () => {
  const none = { ...prices, inputCostPerMtok: null, outputCostPerMtok: null };
  expect(costOf({ ...usage, reportedCostUsd: 0.02 }, prices)).toBe(0.02);
  expect(costOf({ ...usage, reportedCostUsd: 0 }, prices)).toBe(0);
  expect(costOf({ ...usage, reportedCostUsd: 0.02 }, none)).toBe(0.02);
  expect(costOf(usage, none)).toBeNull();
});

it('a reply whose provider counts nothing has no known cost', () => {
  expect(costOf(NO_USAGE, prices)).toBeNull();
  expect(costOf({ ...NO_USAGE, completionTokens: 100 }, prices)).toBe(0.0015);
});

it('tokens of a cache that exceed those of the request make no cost negative', () => {
  expect(costByPrices({ ...usage, promptTokens: 10, completionTokens: 0 }, prices)).toBeGreaterThan(0);
});

it('the rounds of a chain add up, and what none of them says stays unknown', () => {
  expect(addUsage([])).toEqual(NO_USAGE);
  expect(addUsage([{ ...NO_USAGE, promptTokens: 5 }, NO_USAGE, { ...NO_USAGE, promptTokens: 7 }])).toEqual({
    ...NO_USAGE,
    promptTokens: 12,
  });
});
