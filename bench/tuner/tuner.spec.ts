import { adaptive } from '#lib/param-tune/search/adaptive';
import { planAdaptive } from '#lib/param-tune/search/adaptive-plan';
import { strategyOf } from '#lib/param-tune/search/search';
import type { Trial } from '#lib/param-tune/search/strategy';
import { ARMS, CASES, searchMany, surfaceOf, type Surface } from './surface.js';

/** A subset of the benchmark's 60. */
const SEEDS = 30;
const plan = planAdaptive({ arms: ARMS, cases: CASES });

it.each([0.08, 0.3])(
  'an adaptive search comes near the best for a quarter of the grid (interactions %f)',
  (interactions) => {
    const { requests, loss, near } = searchMany((space) => adaptive(space, plan), interactions, SEEDS);
    expect(requests).toBeLessThanOrEqual(0.25);
    expect(loss).toBeLessThanOrEqual(0.01);
    expect(near).toBeGreaterThanOrEqual(0.75);
  },
);

/** The trials of an adaptive search, wave by wave, and its result. */
function play(surface: Surface, measure = surface.measure) {
  const strategy = strategyOf(adaptive(surface, plan));
  const waves: Trial[][] = [];
  for (let trials = strategy.propose(); trials.length > 0; trials = strategy.propose()) {
    waves.push([...trials]);
    strategy.observe(trials.map(measure));
  }
  return { waves, ...strategy.finish() };
}

describe('on any surface, an adaptive search', () => {
  const surfaces = [1, 2, 3].map((seed) => surfaceOf(0.3, seed));
  const played = surfaces.map((surface) => play(surface));

  it('proposes the same trials when repeated with the same seed and results', () => {
    expect(surfaces.map((surface) => play(surface))).toEqual(played);
  });

  it('measures the base on as many samples as any finalist', () => {
    for (const [n, surface] of surfaces.entries()) {
      const { waves, finalists } = played[n]!;
      const samplesOf = (arm: number): number =>
        waves.flat().reduce((sum, { arm: of, from, to, samples }) => sum + (of === arm ? (to - from) * samples : 0), 0);
      expect(finalists).toContain(surface.base);
      expect(finalists.map(samplesOf)).toEqual(finalists.map(() => samplesOf(surface.base)));
    }
  });

  it('adapts to its measurements: other results lead to other arms', () => {
    for (const [n, surface] of surfaces.entries()) {
      const opposite = (trial: Trial): Float64Array => surface.measure(trial).map((score) => 1 - score);
      const [one, other] = [played[n]!, play(surface, opposite)];
      const armsOf = (wave: Trial[]): number[] => wave.map(({ arm }) => arm).sort((a, b) => a - b);
      expect(other.waves[0]).toEqual(one.waves[0]);
      for (const wave of [1, 2, 3, 4]) expect(armsOf(other.waves[wave]!)).not.toEqual(armsOf(one.waves[wave]!));
      const truth = (arms: number[]): number => arms.reduce((sum, arm) => sum + surface.truth[arm]!, 0) / arms.length;
      expect(truth(armsOf(one.waves[1]!))).toBeGreaterThan(truth(armsOf(other.waves[1]!)));
    }
  });
});
