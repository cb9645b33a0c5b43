import { drawArms } from '#lib/tuning/draw';
import { ArmScores } from './arm-scores.js';
import type { AdaptivePlan } from './adaptive-plan.js';
import { findingOf, keepWithBase, measure, measureFinalists, trialsOf } from './finalists.js';
import { predictByMainEffects } from './main-effects.js';
import type { Search } from './search.js';
import { shrunkMeans } from './shrunk-means.js';
import type { SearchSpace } from './strategy.js';

/**
 * Measures some arms on a few cases, fits main effects of the parameter values, and measures the most promising arms;
 * then keeps the best third on more cases, and the best third of those on all cases, always with the base. Each step
 * uses all earlier measurements.
 */
export function* adaptive(space: SearchSpace, plan: AdaptivePlan): Search {
  const { arms, cases, samples } = space;
  const { rungs } = plan;
  const scores = new ArmScores(cases);
  const predict = (measured: readonly number[], upTo: number): Float64Array =>
    predictByMainEffects(
      arms,
      measured.flatMap((arm) => {
        const { mean } = scores.mean(arm, upTo);
        return mean === null ? [] : [{ arm, mean }];
      }),
    );

  const seen = drawArms(space, plan.start);
  yield* measure(scores, trialsOf(seen, { rung: 'rung-1', from: 0, to: rungs[0]!, samples }));
  for (let round = 1; round <= plan.rounds; round++) {
    const predicted = predict(seen, rungs[0]!);
    const next = best(unseen(arms, seen), predicted).slice(0, plan.added);
    yield* measure(scores, trialsOf(next, { rung: `rung-1.${round}`, from: 0, to: rungs[0]!, samples }));
    seen.push(...next);
  }
  let left = seen;
  for (const [index, to] of rungs.entries()) {
    if (index === 0) continue;
    const from = rungs[index - 1]!;
    const worth = shrunkMeans(scores, left, from, predict(seen, rungs[0]!));
    const kept = Math.max(plan.leastKept, Math.ceil(left.length / 3));
    const byWorth = [...left].sort((a, b) => worth.get(b)! - worth.get(a)!);
    left = keepWithBase(byWorth, kept, space.base);
    yield* measure(scores, trialsOf(left, { rung: `rung-${index + 1}`, from, to, samples }));
  }
  const finalists = yield* measureFinalists(scores, left, space, plan.finalists);
  return findingOf(scores, finalists, rungNames(plan));
}

function rungNames({ rounds, rungs }: AdaptivePlan): string[] {
  const added = Array.from({ length: rounds }, (_, round) => `rung-1.${round + 1}`);
  return ['rung-1', ...added, ...rungs.slice(1).map((_, index) => `rung-${index + 2}`), 'finalists'];
}

function unseen(arms: readonly unknown[], seen: readonly number[]): number[] {
  const known = new Set(seen);
  return arms.map((_, arm) => arm).filter((arm) => !known.has(arm));
}

const best = (arms: readonly number[], predicted: Float64Array): number[] =>
  [...arms].sort((a, b) => predicted[b]! - predicted[a]!);
