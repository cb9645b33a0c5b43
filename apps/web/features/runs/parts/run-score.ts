import type { Run } from '#lib/contracts/run';
import type { Scored } from '../../../ui/score.js';

/**
 * The score of a run over all of its models. The ends of its interval are the means of the models' ends: wide enough,
 * however the models correlate.
 */
export function scoreOfRun({ score, summaries, counts }: Pick<Run, 'score' | 'summaries' | 'counts'>): Scored {
  const ends = summaries.flatMap(({ overall_ci: interval }) => (interval ? [interval] : []));
  const meanOf = (end: 0 | 1): number => ends.reduce((sum, interval) => sum + interval[end], 0) / ends.length;
  return {
    mean: score,
    ci: ends.length > 0 ? [meanOf(0), meanOf(1)] : null,
    scored: summaries.reduce((sum, { scored }) => sum + scored, 0),
    errored: counts.errored,
  };
}
