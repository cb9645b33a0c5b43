import type { Trend, TrendPoint } from '#lib/contracts/trend';
import { count, percent } from '../../../ui/amounts.js';

type Against = NonNullable<TrendPoint['against']>;

/** Whether a run is shown to be worse or better for a model than the run before it. */
export function standsFor(target: string, { against, models }: TrendPoint): 'worse' | 'better' | undefined {
  if (!against || !models.some((one) => one.target === target)) return undefined;
  const ofModel = against.worst?.target === target ? against.worst.verdict : undefined;
  const isAlone = models.length === 1 ? against.verdict : undefined;
  return VERDICTS[ofModel ?? isAlone ?? 'same'];
}
const VERDICTS: Partial<Record<Against['verdict'], 'worse' | 'better'>> = { regressed: 'worse', improved: 'better' };

interface Change {
  target: string;
  /** "86.0 % to 45.0 %" */
  words: string;
  direction: 'fell' | 'rose' | 'stayed';
}

/** With a smaller change a score stayed where it was. */
const STAYED = 0.005;

/** The model that changed most between its first and its last run; undefined without one that has two scores. */
export function mainChangeOf({ history }: Pick<Trend, 'history'>): Change | undefined {
  const [most] = history?.models ?? [];
  if (most?.first == null || most.last === null) return undefined;
  const change = most.last - most.first;
  const direction = Math.abs(change) < STAYED ? 'stayed' : change < 0 ? 'fell' : 'rose';
  const words =
    direction === 'stayed' ? `at ${percent(most.last)}` : `from ${percent(most.first)} to ${percent(most.last)}`;
  return { target: most.target, words, direction };
}

/** The newest run that is shown to be worse than the one before it, for one of the models. */
export const lastFallOf = (points: readonly TrendPoint[], target: string): TrendPoint | undefined =>
  points.findLast((point) => standsFor(target, point) === 'worse');

/** Since when a model is worse: where its level fell last, or else the last run that is shown to be worse. */
export function fallOf({ history, points }: Pick<Trend, 'history' | 'points'>, target: string) {
  const shift = history?.models.find((one) => one.target === target)?.shift;
  if (shift && shift.to < shift.from) return shift;
  const fall = lastFallOf(points, target);
  return fall && { run_id: fall.run.id, name: fall.run.name, finished_at: fall.finished_at };
}

/** "412 of 10,000 runs are drawn." */
export function drawnWords({ runs, shown, left_out: left }: NonNullable<Trend['history']>): string {
  if (left === 0) return runs === 1 ? '1 run.' : `All ${count(runs)} runs.`;
  return `${count(shown)} of ${count(runs)} runs are drawn.`;
}
