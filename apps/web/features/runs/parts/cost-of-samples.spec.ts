import type { Run } from '#lib/contracts/run';
import { costOfSamples } from './cost-of-samples.js';

const usage = { requests: 20, cached: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0.4, duration_s: 10 };
const run = (more: object) =>
  ({ config: { samples: 2 }, counts: { total: 20 }, actual: usage, estimate: null, ...more }) as unknown as Run;

describe('further samples', () => {
  it('cost as much each as the first ones', () => {
    expect(costOfSamples(run({}), 3)).toEqual({ requests: 30, usd: expect.closeTo(0.6), ms: expect.closeTo(15_000) });
  });

  it('of a run that stored replies answered cost what was estimated for it, if anything', () => {
    const stored = { ...usage, requests: 0, cost_usd: 0 };
    expect(costOfSamples(run({ actual: stored, estimate: usage }), 2)).toMatchObject({ requests: 20, usd: 0.4 });
    expect(costOfSamples(run({ actual: stored }), 2)).toEqual({ requests: 20, usd: null, ms: null });
  });

  it('have no cost without prices, and are none while the number is unfinished', () => {
    expect(costOfSamples(run({ actual: { ...usage, cost_usd: null } }), 2)).toMatchObject({ usd: null });
    expect(costOfSamples(run({}), NaN)).toMatchObject({ requests: 0, usd: 0 });
  });
});
