import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { bestOf, bestText, scoreOfRun } from './run-score.js';

it('a run score has the interval of its model, or a wide enough one for several models', () => {
  const summary = (overall_ci: [number, number] | null, scored: number) => ({ overall_ci, scored }) as never;
  const counts = { errored: 1 } as never;
  expect(scoreOfRun({ score: 0.5, summaries: [summary([0.25, 0.75], 8)], counts })).toEqual({
    mean: 0.5,
    ci: [0.25, 0.75],
    scored: 8,
    errored: 1,
  });
  const two = [summary([0.25, 0.75], 8), summary([0.5, 1], 4), summary(null, 0)];
  expect(scoreOfRun({ score: 0.6, summaries: two, counts })).toMatchObject({ ci: [0.375, 0.875], scored: 12 });
  expect(scoreOfRun({ score: null, summaries: [], counts })).toMatchObject({ mean: null, ci: null, scored: 0 });
});

describe('the best of a run', () => {
  const summary = (target: string, overall: number) => ({ target, overall }) as Summary;
  const summaries = [summary('sim::a', 0.9), summary('sim::b', 0.891), summary('sim::sim::c', 0.5)];
  const targets = summaries.map(({ target }) => ({ target, settled: 55, total: 55 })) as Run['targets'];
  const counts = { settled: 165, total: 165 } as Run['counts'];
  const run = { top: { targets: ['sim::a'], score: 0.9, by: 'ranking' as const }, summaries, targets, counts };
  const text = (change: Partial<Omit<typeof run, 'top'> & Pick<Run, 'top'>>, model?: string) =>
    bestText(bestOf({ ...run, ...change }, model));

  it('is one model, or those that cannot be told apart', () => {
    expect(text({})).toBe('90.0 %');
    expect(text({ top: { ...run.top, targets: ['sim::a', 'sim::b', 'sim::sim::c'] } })).toBe('3 tie, best 90.0 %');
  });

  it('is the model that was asked for, by either of its names', () => {
    expect(text({}, 'sim::b')).toBe('89.1 %');
    expect(text({}, 'sim::c')).toBe('50.0 %');
    expect(text({}, 'c')).toBe('');
  });

  it('is nobody in a run that stopped before, which says how much is in', () => {
    const part = { top: null, counts: { ...counts, settled: 345, total: 1100 } };
    expect(text(part)).toBe('345 of 1,100 results');
    expect(text({ targets: [{ ...targets[0]!, settled: 20 }] }, 'sim::a')).toBe('20 of 55 results');
    expect(text({ top: null, summaries: [], counts: { ...counts, settled: 0 } })).toBe('');
  });
});
