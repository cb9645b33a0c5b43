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

it('each token of a request is billed once, at the price for how the cache handled it', () => {
  const cents = (3 * 3 + 10_000 * 0.3 + 2000 * 3.75 + 304 * 6 + 550 * 15) / 1e6;
  expect(costOf(usage, prices)).toBeCloseTo(cents, 12);
});

it('omitted cache prices default to the input price', () => {
  const plain = { ...prices, cacheReadCostPerMtok: null, cacheWrite5mCostPerMtok: null, cacheWrite1hCostPerMtok: null };
  expect(costOf(usage, plain)).toBeCloseTo((12_307 * 3 + 550 * 15) / 1e6, 12);
  expect(costOf(usage, { ...prices, cacheReadCostPerMtok: 0 })).toBeLessThan(costOf(usage, prices)!);
});

it('an amount that the provider reports takes precedence over prices, and needs none', () => {
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

it('cache tokens that exceed those of the request never make a cost negative', () => {
  expect(costByPrices({ ...usage, promptTokens: 10, completionTokens: 0 }, prices)).toBeGreaterThan(0);
});

it('the rounds of a chain add up, and counts that none of them reports stay unknown', () => {
  expect(addUsage([])).toEqual(NO_USAGE);
  expect(addUsage([{ ...NO_USAGE, promptTokens: 5 }, NO_USAGE, { ...NO_USAGE, promptTokens: 7 }])).toEqual({
    ...NO_USAGE,
    promptTokens: 12,
  });
});
