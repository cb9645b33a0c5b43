import { kappaText } from './judged-figures';
import { IntervalMark, TickLabels } from '../../../ui/figures/interval-mark';

interface Kappa {
  /** What is measured, for screen readers. */
  label: string;
  kappa: number;
  interval: readonly [number, number] | null;
}

const MARGIN_PERCENT = 3;
/** Ticks at chance level, and where the lower end of the interval becomes usable and good. */
const TICKS = [-1, -0.5, 0, 0.4, 0.6, 1];
const positionOf = (kappa: number): string => {
  const share = (Math.min(1, Math.max(-1, kappa)) + 1) / 2;
  return `${MARGIN_PERCENT + share * (100 - 2 * MARGIN_PERCENT)}%`;
};

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
