import { drawArms } from '#lib/tuning/draw';
import { ArmScores } from './arm-scores.js';
import { findingOf, measure, measureFinalists, trialsOf } from './finalists.js';
import type { Search } from './search.js';
import type { SearchSpace } from './strategy.js';

/** Measures the base and random arms, `trials` in all, on every case; then the best get further samples. */
export function* random(space: SearchSpace, trials: number): Search {
  const drawn = drawArms(space, trials);
  const { cases, samples } = space;
  const scores = new ArmScores(cases);
  yield* measure(scores, trialsOf(drawn, { rung: 'all', from: 0, to: cases, samples }));
  const finalists = yield* measureFinalists(scores, drawn, space);
  return findingOf(scores, finalists, ['all', 'finalists']);
}
