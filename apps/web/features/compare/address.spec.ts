import { CompareQuery } from '#lib/contracts/comparison';
import { withComparison, compareSearch, comparisonQueryOf, withFilter } from './address.js';

const run = (n: number): string => `019aa8a2-5c1e-7000-8000-00000000001${n}`;

describe('the address of a comparison', () => {
  it('accepts runs as a list or comma-separated, without duplicates and invalid ids, and keeps six at most', () => {
    expect(compareSearch({ runs: `${run(1)},${run(2)},${run(1)},x` })).toEqual({ runs: [run(1), run(2)] });
    expect(compareSearch({ runs: [run(1), 7, run(2)] })).toEqual({ runs: [run(1), run(2)] });
    expect(compareSearch({ runs: [1, 2, 3, 4, 5, 6, 7].map(run) }).runs).toHaveLength(6);
    expect(compareSearch({ runs: 'none', margin: '7', outcome: 'odd' })).toEqual({});
    expect(compareSearch({ margin: 0.05 })).toEqual({ margin: '0.05' });
  });

  it('builds the API query for two runs, for several, and for two models of one run', () => {
    const two = { runs: [run(1), run(2)], measure: 'passed', margin: '0.05', extended: true };
    expect(String(comparisonQueryOf(two))).toBe(`a=${run(1)}&b=${run(2)}&measure=passed&margin=0.05&extended=true`);
    const several = comparisonQueryOf({ runs: [run(1), run(2), run(3)], pair: 'p::a~p::b' });
    expect(String(several)).toBe(`runs=${[run(1), run(2), run(3)].join('%2C')}`);
    const models = comparisonQueryOf({ runs: [run(1)], pair: 'p::a~p::b' });
    expect(Object.fromEntries(models!)).toEqual({ a: run(1), b: run(1), pairs: 'p::a~p::b' });
    expect(comparisonQueryOf({ runs: [run(1)] })).toBeUndefined();
    for (const query of [comparisonQueryOf(two), several, models])
      expect(CompareQuery.safeParse(Object.fromEntries(query!)).success).toBe(true);
  });

  it('resets the case filter when the comparison changes, and the page when the filter changes', () => {
    const search = compareSearch({ runs: [run(1), run(2)], outcome: 'fixed', category: 'c', after: 'x' });
    expect(withComparison(search, { margin: '0.1' })).toEqual({ runs: search.runs, margin: '0.1' });
    expect(withFilter(search, { outcome: 'all' })).toEqual({ runs: search.runs, outcome: 'all', category: 'c' });
  });
});
