import type { JudgedTarget, JudgeReport } from '#lib/judge/contract';
import { count, percent } from '../../../ui/score.js';

type Interval = readonly [number, number] | null;

/** "80.0 % (60.1-92.0, n 10)": never a share without its interval and the number of results behind it. */
export function shareText(share: number | null, ci: Interval, n: number): string {
  if (share === null) return 'none judged';
  const bare = (end: number): string => (end * 100).toFixed(1);
  return `${percent(share)} (${ci ? `${bare(ci[0])}-${bare(ci[1])}, ` : ''}n ${count(n)})`;
}

/** "0.62 (0.31 to 0.93)" */
export function kappaText(kappa: number | null, ci: Interval): string {
  if (kappa === null) return 'none';
  return kappa.toFixed(2) + (ci ? ` (${ci[0].toFixed(2)} to ${ci[1].toFixed(2)})` : '');
}

/** Number of results that the judge could decide. */
export const decidedCount = ({ counts: { correct, acceptable, wrong } }: Pick<JudgedTarget, 'counts'>): number =>
  correct + acceptable + wrong;

/** Over all models. */
export const decidedCountOfAll = ({ targets }: Pick<JudgeReport, 'targets'>): number =>
  targets.reduce((sum, target) => sum + decidedCount(target), 0);
