import type { SampleDrift } from '#lib/contracts/sample-drift';
import { driftTestOf, driftText, findDrift, type PartCases, type RunPart } from './sample-drift.js';

const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 25, hour));
const part = (hour: number, isWhole = true): RunPart => ({ isWhole, from: at(hour), to: at(hour + 1) });
/** Cases of these means, each with as many samples. */
const scores = (means: readonly number[], scored = 1): PartCases =>
  means.map((mean, position) => ({ position, scored, mean }));
const passing = (of: number, passed: number, scored?: number): PartCases =>
  scores(
    Array.from({ length: of }, (_, n) => Number(n < passed)),
    scored,
  );
const TEST = { alpha: 0.01, matters: 0.01 };

describe('added samples', () => {
  it('that differ beyond chance are found, with the time from which they do', () => {
    const parts = [part(9), part(10), part(14)];
    const found = findDrift(parts, [passing(50, 48), passing(50, 47), passing(50, 30, 2)], TEST);
    expect(found).toMatchObject({
      kept: 2,
      earlier: { samples: 100, mean: 0.95, from: at(9).toISOString(), to: at(11).toISOString() },
      later: { samples: 100, mean: 0.6, from: at(14).toISOString() },
      since: at(14).toISOString(),
      confidence: 0.99,
    });
    expect(found!.difference).toBeCloseTo(-0.35);
    expect(found!.ci[1]).toBeLessThan(0);
  });

  it('that differ by chance, by less than matters, or in fewer than 5 cases join', () => {
    const parts = [part(9), part(10)];
    expect(findDrift(parts, [passing(50, 48), passing(50, 45)], TEST)).toBeUndefined();
    const many = [scores(Array<number>(5000).fill(0.9)), scores(Array<number>(5000).fill(0.892))];
    expect(findDrift(parts, many, TEST)).toBeUndefined();
    expect(findDrift(parts, many, { ...TEST, matters: 0.005 })).toBeDefined();
    expect(findDrift(parts, [passing(4, 4), passing(4, 0)], { alpha: 0.9, matters: 0 })).toBeUndefined();
  });

  it('of some cases are not tested: they were added because of how these came out', () => {
    expect(findDrift([part(9), part(10, false)], [passing(50, 50), passing(50, 0)], TEST)).toBeUndefined();
  });

  it('are compared in the cases that both have a score of', () => {
    const errored = passing(50, 50).map((one) => (one.position < 48 ? { ...one, scored: 0, mean: null } : one));
    expect(findDrift([part(9), part(10)], [passing(50, 0), errored], TEST)).toBeUndefined();
  });
});

it('shares one false alarm in a hundred among all models and times of both runs', () => {
  const side = (targets: number, parts: RunPart[]) => ({ targets: Array<string>(targets).fill('m'), parts });
  const test = driftTestOf(
    [side(3, [part(9), part(10), part(11, false)]), side(2, [part(9), part(10), part(11)])],
    0.05,
  );
  expect(test).toEqual({ alpha: 0.01 / 7, matters: 0.025 });
  expect(driftTestOf([side(3, [part(9)])], 0)).toEqual({ alpha: 0.01, matters: 0.01 });
});

it('is said in points, with how many samples there are of which time', () => {
  const drift: SampleDrift = {
    side: 'run',
    target: 'a::b',
    earlier: { samples: 1055, mean: 0.5, from: at(9).toISOString(), to: at(10).toISOString() },
    later: { samples: 165, mean: 0.82, from: at(14).toISOString(), to: at(15).toISOString() },
    difference: 0.32,
    ci: [0.2, 0.44],
    confidence: 1 - 0.01 / 4,
    since: at(14).toISOString(),
  };
  expect(driftText(drift)).toBe(
    'the later samples of the run score 32 points higher (99.75 %: 20 to 44). It has 1,055 samples of 25 Nov 09:00 ' +
      'UTC and 165 of 25 Nov 14:00 UTC.',
  );
});
