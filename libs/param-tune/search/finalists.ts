import type { ArmScores } from './arm-scores.js';
import type { Finding, Measured, SearchSpace, Trial } from './strategy.js';

export const FINALISTS = 8;
export const FURTHER_SAMPLES = 3;

/** Trials of arms over the cases `from` to `to`, with their first samples. */
export const trialsOf = (
  arms: readonly number[],
  { rung, from, to, samples }: Pick<Trial, 'rung' | 'from' | 'to' | 'samples'>,
): Trial[] => arms.map((arm) => ({ arm, rung, from, to, firstSample: 0, samples }));

/** Measures trials, and stores their scores. */
export function* measure(
  scores: ArmScores,
  trials: readonly Trial[],
): Generator<readonly Trial[], void, readonly Measured[]> {
  if (trials.length === 0) return;
  const measured = yield trials;
  trials.forEach((trial, index) => scores.add(trial, measured[index]!));
}

/** The first `count` arms including the base, which is measured like those compared with it. */
export function keepWithBase(arms: readonly number[], count: number, base: number): number[] {
  const kept = arms.slice(0, count);
  return kept.includes(base) || !arms.includes(base) ? kept : [...kept.slice(0, count - 1), base];
}

/**
 * Takes further samples of every case for the base and the best of these arms, which all have `samples` of every case.
 */
export function* measureFinalists(
  scores: ArmScores,
  arms: readonly number[],
  { samples, base }: Pick<SearchSpace, 'samples' | 'base'>,
  count = FINALISTS,
): Generator<readonly Trial[], number[], readonly Measured[]> {
  const finalists = keepWithBase(bestFirst(scores, arms), count, base);
  const of = { rung: 'finalists', from: 0, to: scores.cases, firstSample: samples, samples: FURTHER_SAMPLES };
  yield* measure(
    scores,
    finalists.map((arm) => ({ arm, ...of })),
  );
  return finalists;
}

/** Stable: equal means keep their order. */
const bestFirst = (scores: ArmScores, arms: readonly number[]): number[] =>
  arms
    .map((arm) => ({ arm, mean: scores.mean(arm).mean ?? -Infinity }))
    .sort((a, b) => b.mean - a.mean)
    .map(({ arm }) => arm);

/** Arms of later rungs rank above those dropped earlier, whatever their means on fewer cases. */
export function findingOf(scores: ArmScores, finalists: readonly number[], rungs: readonly string[]): Finding {
  const level = (arm: number): number => rungs.indexOf(scores.rungOf(arm));
  const ranking = bestFirst(scores, scores.arms()).sort((a, b) => level(b) - level(a));
  return {
    ranking: ranking.map((arm) => ({ arm, ...scores.mean(arm), rung: scores.rungOf(arm) })),
    finalists: bestFirst(scores, finalists),
  };
}
