import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import type { Scored } from '../../../ui/amounts.js';

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

/** The model of a run with the highest mean; undefined while no model has figures. */
export const topModel = ({ summaries }: Pick<Run, 'summaries'>): Summary | undefined =>
  summaries
    .filter(({ overall }) => overall !== null)
    .reduce<Summary | undefined>((top, one) => (!top || one.overall! > top.overall! ? one : top), undefined);

interface Shown {
  interval: readonly [number, number] | null;
  /** The interval says too little, because all values were equal. */
  isAlike: boolean;
}

/**
 * The interval of a mean. Summaries of an early release have one without width if all values were equal; the interval
 * of the pass rate replaces it.
 */
export function shownInterval(summary: Pick<Summary, 'ci_method' | 'overall_ci' | 'pass_rate_ci'>): Shown {
  const { ci_method: method, overall_ci: ci, pass_rate_ci: passed } = summary;
  const isAlike = method === 'bootstrap' && ci !== null && ci[0] === ci[1];
  return { interval: isAlike ? passed : ci, isAlike };
}
