import type { JudgedTarget, JudgeReport } from '#lib/judge/contract';
import { IntervalMark, type IntervalRow, TickLabels } from '../../../ui/figures/intervals';
import { count, percent } from '../../../ui/amounts';
import { UserLine } from '../../../ui/user-text';

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

interface Share<Value = number | null> {
  share: Value;
  ci: Interval;
  n: number;
}

interface Row extends Share<number> {
  /** The name of the row. */
  key: string;
  isHollow?: boolean;
}

/** A share by a judge as a row of a figure, with its interval. */
export const shareRow = ({ key, isHollow, ...of }: Row): IntervalRow => ({
  key,
  label: <UserLine text={key} />,
  mean: of.share,
  interval: of.ci ?? [of.share, of.share],
  isHollow: isHollow ?? of.ci === null,
  text: <span className="score">{shareText(of.share, of.ci, of.n)}</span>,
});

interface Kappa {
  /** What is measured, for screen readers. */
  label: string;
  kappa: number;
  interval: Interval;
}

/** An agreement with its interval on the scale from -1 to 1, where 0 is chance level. */
export function KappaFigure({ label, kappa, interval }: Kappa) {
  const [low, high] = interval ?? [kappa, kappa];
  const isHollow = !interval || (low <= 0 && high >= 0);
  return (
    <figure className="delta" aria-label={label}>
      <IntervalMark ticks={TICKS} at={positionOf} value={kappa} interval={[low, high]} isHollow={isHollow} />
      <TickLabels ticks={TICKS} at={positionOf} />
      <div>{kappaText(kappa, interval)}</div>
    </figure>
  );
}

const MARGIN_PERCENT = 3;
/** Ticks at chance level, and where the lower end of the interval becomes usable and good. */
const TICKS = [-1, -0.5, 0, 0.4, 0.6, 1];
const positionOf = (kappa: number): string => {
  const share = (Math.min(1, Math.max(-1, kappa)) + 1) / 2;
  return `${MARGIN_PERCENT + share * (100 - 2 * MARGIN_PERCENT)}%`;
};
