import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { count, percent, type Scored } from '../../../ui/amounts.js';

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

/** Whether a filter by model means this one: by its whole name, or by its id at the provider. */
export const isModel = (target: string, asked: string): boolean =>
  target === asked || target.slice(target.indexOf('::') + 2) === asked;

/** What can be said of the best of a run, or of one of its models. */
export type Best =
  | { is: 'one' | 'tie'; score: number; targets: readonly string[]; summary: Summary }
  /** It stopped before, so its results may be the easier ones. */
  | { is: 'part'; settled: number; total: number }
  | { is: 'none' };

type Judged = Pick<Run, 'top' | 'summaries' | 'targets' | 'counts'>;

/** The best models of a run that have all of their results; several tie where they cannot be told apart. */
export function bestOf({ top, summaries, targets, counts }: Judged, model?: string): Best {
  if (model !== undefined) return ofModel({ summaries, targets }, model);
  const summary = summaries.find(({ target }) => target === top?.targets[0]);
  if (top && summary)
    return { is: top.targets.length > 1 ? 'tie' : 'one', score: top.score, targets: top.targets, summary };
  return counts.settled > 0 && counts.settled < counts.total ? { is: 'part', ...counts } : { is: 'none' };
}

function ofModel({ summaries, targets }: Pick<Judged, 'summaries' | 'targets'>, model: string): Best {
  const of = targets.find(({ target }) => isModel(target, model));
  const summary = summaries.find(({ target }) => target === of?.target);
  if (of && of.settled > 0 && of.settled < of.total) return { is: 'part', settled: of.settled, total: of.total };
  if (!summary || summary.overall === null) return { is: 'none' };
  return { is: 'one', score: summary.overall, targets: [summary.target], summary };
}

/** "3 tie, best 89.1 %", "89.1 %", "345 of 1,100 results"; empty while nothing is known. */
export function bestText(best: Best): string {
  switch (best.is) {
    case 'one':
      return percent(best.score);
    case 'tie':
      return `${count(best.targets.length)} tie, best ${percent(best.score)}`;
    case 'part':
      return `${count(best.settled)} of ${count(best.total)} results`;
    case 'none':
      return '';
  }
}
