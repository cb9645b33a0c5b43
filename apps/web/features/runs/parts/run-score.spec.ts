import { scoreOfRun } from './run-score.js';

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
