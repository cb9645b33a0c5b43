import { parseSummary } from './summaries.js';

it('reads a summary of an earlier release: its interval counts as a bootstrap, and categories have none', () => {
  const stored = { target: 'p::m', overall: 1, overall_ci: [1, 1], by_category: { a: { cases: 3, overall: 1 } } };
  expect(parseSummary(JSON.stringify(stored))).toMatchObject({
    overall_ci: [1, 1],
    ci_method: 'bootstrap',
    by_category: { a: { cases: 3, overall: 1, overall_ci: null } },
  });
});
