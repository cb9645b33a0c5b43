import { recommend, type Finalist } from './recommend.js';

/** Passes `right` of a hundred cases, the same ones as the other finalists as far as both counts reach. */
const finalist = (arm: number, right: number, more: Partial<Finalist> = {}): Finalist => ({
  arm,
  scores: Float64Array.from({ length: 100 }, (_, n) => Number(n < right)),
  erroredShare: 0,
  costPerCase: 0.01,
  latencyP50Ms: 500,
  changes: 1,
  ...more,
});
const MARGIN = 0.02;
const recommendedOf = (...finalists: Finalist[]) => recommend(finalists, MARGIN, 0.05);

describe('of the arms that came furthest', () => {
  it('the best one is recommended when it is shown to be better', () => {
    expect(recommendedOf(finalist(0, 60), finalist(1, 80))).toMatchObject({ recommended: 1, tied: [1] });
  });

  it('the cheapest of equally good ones is recommended, then the fastest, then the one with the fewest changes', () => {
    const best = finalist(0, 80);
    expect(recommendedOf(best, finalist(1, 79, { costPerCase: 0.009 })).recommended).toBe(1);
    expect(recommendedOf(best, finalist(1, 79, { latencyP50Ms: 400 })).recommended).toBe(1);
    expect(recommendedOf(best, finalist(1, 79, { changes: 0 })).recommended).toBe(1);
    expect(recommendedOf(best, finalist(1, 79, { costPerCase: null })).recommended).toBe(0);
  });

  it('costs and latencies that differ by chance are ignored', () => {
    const near = { costPerCase: 0.00995, latencyP50Ms: 460 };
    expect(recommendedOf(finalist(0, 80), finalist(1, 79, { ...near, changes: 2 })).recommended).toBe(0);
    expect(recommendedOf(finalist(0, 80), finalist(1, 79, { ...near, changes: 0 })).recommended).toBe(1);
    const none = { costPerCase: null, latencyP50Ms: null };
    expect(recommendedOf(finalist(0, 80, none), finalist(1, 79, { ...none, changes: 0 })).recommended).toBe(1);
  });

  it('one that is behind by more than the margin is not equally good, however few cases there are', () => {
    expect(recommendedOf(finalist(0, 80), finalist(1, 77, { costPerCase: 0 }))).toMatchObject({
      recommended: 0,
      tied: [0],
    });
  });

  it('one with too many errors is last and not recommended', () => {
    const { recommended, ranking } = recommendedOf(finalist(0, 90, { erroredShare: 0.06 }), finalist(1, 50));
    expect(recommended).toBe(1);
    expect(ranking.map(({ arm }) => arm)).toEqual([1, 0]);
  });

  it('none is recommended if none has a score', () => {
    const none = { scores: new Float64Array(100).fill(NaN) };
    expect(recommendedOf(finalist(0, 0, none), finalist(1, 0, none))).toMatchObject({ recommended: null, tied: [] });
  });
});
