import { ArmScores } from './arm-scores.js';
import { findingOf, measure, measureFinalists, trialsOf } from './finalists.js';
import type { Search } from './search.js';
import type { SearchSpace } from './strategy.js';

/** Measures every arm on every case; then the best get further samples. */
export function* grid(space: SearchSpace): Search {
  const { arms, cases, samples } = space;
  const all = arms.map((_, arm) => arm);
  const scores = new ArmScores(cases);
  yield* measure(scores, trialsOf(all, { rung: 'all', from: 0, to: cases, samples }));
  const finalists = yield* measureFinalists(scores, all, space);
  return findingOf(scores, finalists, ['all', 'finalists']);
}
