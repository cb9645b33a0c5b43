import { newestRunPerSuite } from './newest-runs.js';

const run = (id: string, suite: string, models = 1): any => ({
  id,
  suite: { id: suite },
  summaries: Array(models).fill({}),
});

it('the newest run with figures of each suite is shown, for a limited number of suites', () => {
  const runs = [run('1', 'a', 0), run('2', 'b'), run('3', 'a'), run('4', 'b'), run('5', 'c'), run('6', 'd')];
  expect(newestRunPerSuite(runs, 3).map(({ id }) => id)).toEqual(['2', '3', '5']);
  expect(newestRunPerSuite([], 3)).toEqual([]);
});
