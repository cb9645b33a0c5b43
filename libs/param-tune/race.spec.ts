import { replay, statesOf } from './race.js';
import { planSearch } from './search/plan-search.js';
import type { SearchSpace, Trial } from './search/strategy.js';

const SPACE: SearchSpace = {
  arms: Array.from({ length: 100 }, (_, n) => [n % 10, Math.floor(n / 10)]),
  base: 0,
  cases: 50,
  samples: 1,
  seed: 3,
};
const { search } = planSearch({ mode: 'adaptive', trials: 1 }, { arms: 100, cases: 50, samples: 1 });
const measure = ({ arm, from, to }: Trial): Float64Array =>
  Float64Array.from({ length: to - from }, (_, n) => Number(((from + n) * 7) % 50 < 10 + (arm % 10) * 3));
const key = ({ rung, arm }: Trial): string => `${rung} ${arm}`;

describe('a search that is repeated from what was stored', () => {
  it('ends the same, whenever its process died', () => {
    const whole = new Map<string, Float64Array>();
    const waves: string[][] = [];
    for (;;) {
      const { next, finding } = replay(SPACE, search, (trial) => whole.get(key(trial)));
      if (next.length === 0) {
        expect(finding!.finalists.length).toBe(8);
        break;
      }
      waves.push(next.map(key));
      // Half of them are measured, then the process dies.
      for (const trial of next.slice(0, next.length / 2)) whole.set(key(trial), measure(trial));
      const rest = replay(SPACE, search, (trial) => whole.get(key(trial))).next;
      expect(rest.map(key)).toEqual(next.slice(next.length / 2).map(key));
      for (const trial of rest) whole.set(key(trial), measure(trial));
    }
    expect(new Set(waves.flat()).size).toBe(waves.flat().length);
    expect(replay(SPACE, search, measure).finding).toEqual(
      replay(SPACE, search, (trial) => whole.get(key(trial))).finding,
    );
  });

  it('reports how far each arm got', () => {
    const first = replay(SPACE, search, () => undefined);
    expect(new Set([...statesOf(first).values()].map(({ state }) => state))).toEqual(new Set(['running']));
    const end = [...statesOf(replay(SPACE, search, measure)).values()];
    expect(end.filter(({ state }) => state === 'finalist').length).toBe(8);
    expect(end.some(({ state, rung }) => state === 'dropped' && rung?.startsWith('rung-1'))).toBe(true);
    expect(end.some(({ state }) => state === 'running')).toBe(false);
  });
});
