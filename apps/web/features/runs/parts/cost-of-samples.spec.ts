import type { Run } from '#lib/contracts/run';
import { costOfSamples } from './cost-of-samples.js';

const usage = { requests: 20, cached: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0.4, duration_s: 10 };
const run = (more: object) =>
  ({
    config: { samples: 2 },
    counts: { total: 20, settled: 20 },
    actual: usage,
    estimate: null,
    ...more,
  }) as unknown as Run;

describe('further samples', () => {
  it('cost as much each as the first ones', () => {
    expect(costOfSamples(run({}), 3)).toEqual({ requests: 30, usd: expect.closeTo(0.6), ms: expect.closeTo(15_000) });
  });

  it('of chains take as many requests each as the first ones did', () => {
    const chains = { ...usage, requests: 45, cached: 15, cost_usd: 0.9, duration_s: 9 };
    const three = { requests: 90, usd: expect.closeTo(1.8), ms: expect.closeTo(18_000) };
    expect(costOfSamples(run({ actual: chains }), 3)).toEqual(three);
    expect(costOfSamples(run({ actual: null, estimate: chains }), 3)).toEqual(three);
    const half = { ...chains, requests: 30, cached: 0 };
    expect(costOfSamples(run({ actual: half, counts: { total: 20, settled: 10 } }), 3).requests).toBe(90);
    const stored = { ...chains, requests: 0, cached: 60 };
    expect(costOfSamples(run({ actual: stored }), 3)).toEqual({ requests: 90, usd: null, ms: null });
  });

  it('of a run that stored replies answered cost what was estimated for it, if anything', () => {
    const stored = { ...usage, requests: 0, cached: 20, cost_usd: 0 };
    expect(costOfSamples(run({ actual: stored, estimate: usage }), 2)).toMatchObject({ requests: 20, usd: 0.4 });
    expect(costOfSamples(run({ actual: stored }), 2)).toEqual({ requests: 20, usd: null, ms: null });
  });

  it('have no cost without prices, and are none while the number is unfinished', () => {
    expect(costOfSamples(run({ actual: { ...usage, cost_usd: null } }), 2)).toMatchObject({ usd: null });
    expect(costOfSamples(run({}), NaN)).toMatchObject({ requests: 0, usd: 0 });
  });
});
