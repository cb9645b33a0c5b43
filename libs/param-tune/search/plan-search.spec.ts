import { beginSearch, planSearch, type SearchPlan } from './plan-search.js';
import type { SearchSpace, Trial } from './strategy.js';

const spaceOf = (levels: number[], cases: number, samples = 1): SearchSpace => ({
  arms: levels.reduce<number[][]>(
    (arms, count) => arms.flatMap((arm) => Array.from({ length: count }, (_, level) => [...arm, level])),
    [[]],
  ),
  base: 0,
  cases,
  samples,
  seed: 1,
});

/** Runs a search to its end; each arm passes `worth` of a hundred cases. */
function run(space: SearchSpace, search: SearchPlan, worth: (arm: readonly number[]) => number) {
  const strategy = beginSearch(space, search);
  const waves: Trial[][] = [];
  for (let trials = strategy.propose(); trials.length > 0; trials = strategy.propose()) {
    waves.push([...trials]);
    strategy.observe(
      trials.map(({ arm, from, to }) =>
        Float64Array.from({ length: to - from }, (_, n) => Number(((from + n) * 37) % 100 < worth(space.arms[arm]!))),
      ),
    );
  }
  const trials = waves.flat();
  return {
    ...strategy.finish(),
    waves,
    trials,
    items: trials.reduce((sum, { from, to, samples }) => sum + (to - from) * samples, 0),
  };
}
/** The second value of each parameter adds twenty cases of a hundred. */
const twos = (arm: readonly number[]): number => 20 + 20 * arm.filter((level) => level === 1).length;

describe('a search', () => {
  const modes = ['grid', 'random', 'adaptive'] as const;

  it.each(modes)('by %s takes the planned number of items, each sample of a case once', (mode) => {
    const space = spaceOf([11, 4, 3, 2], 100, 2);
    const { search, items } = planSearch({ mode, trials: 50 }, { arms: space.arms.length, cases: 100, samples: 2 });
    const found = run(space, search, twos);
    expect(found.items).toBe(items);
    const asked = found.trials.flatMap(({ arm, from, to, firstSample, samples }) =>
      Array.from(
        { length: (to - from) * samples },
        (_, n) => `${arm} ${from + Math.floor(n / samples)} ${firstSample + (n % samples)}`,
      ),
    );
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each(modes)('by %s measures the base on all initial cases of its rivals', (mode) => {
    const space = spaceOf([5, 5, 2], 50);
    const { search } = planSearch({ mode, trials: 20 }, { arms: 50, cases: 50, samples: 1 });
    expect(run(space, search, twos).waves[0]!.map(({ arm }) => arm)).toContain(0);
  });

  it.each(modes)('by %s repeats exactly for the same observations', (mode) => {
    const space = spaceOf([5, 5, 2], 50);
    const { search } = planSearch({ mode, trials: 20 }, { arms: 50, cases: 50, samples: 1 });
    expect(run(space, search, twos)).toEqual(run(space, search, twos));
  });

  it('that learns prefers good values only after measuring', () => {
    const space = spaceOf([11, 4, 3, 2], 200);
    const { search } = planSearch({ mode: 'adaptive', trials: 1 }, { arms: 264, cases: 200, samples: 1 });
    const best = (worth: typeof twos) => run(space, search, worth);
    const [one, other] = [best(twos), best((arm) => 100 - twos(arm))];
    expect(one.waves[0]).toEqual(other.waves[0]);
    expect(one.waves[1]).not.toEqual(other.waves[1]);
    expect(space.arms[one.finalists[0]!]).toEqual([1, 1, 1, 1]);
  });

  it('of few arms tries all of them', () => {
    expect(planSearch({ mode: 'adaptive', trials: 50 }, { arms: 24, cases: 40, samples: 1 })).toEqual({
      search: { mode: 'grid' },
      items: 24 * 40 + 8 * 40 * 3,
    });
  });

  it.each(['random', 'adaptive'] as const)('by %s is smaller with a budget', (mode) => {
    const size = { arms: 264, cases: 200, samples: 1 };
    const whole = planSearch({ mode, trials: 100 }, size).items;
    const { items } = planSearch({ mode, trials: 100 }, size, whole / 2);
    expect(items).toBeLessThanOrEqual(whole / 2);
    expect(items).toBeGreaterThan(whole / 4);
  });

  it('continues when an arm has no score at all', () => {
    const space = spaceOf([6, 6], 20);
    const strategy = beginSearch(
      space,
      planSearch({ mode: 'adaptive', trials: 1 }, { arms: 36, cases: 20, samples: 1 }).search,
    );
    for (let trials = strategy.propose(); trials.length > 0; trials = strategy.propose())
      strategy.observe(trials.map(({ from, to }) => new Float64Array(to - from).fill(NaN)));
    expect(strategy.finish().ranking.every(({ mean }) => mean === null)).toBe(true);
  });
});
