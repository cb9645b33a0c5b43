import { kappaText } from '../parts/judged-figures';
import './figures.css';

interface Kappa {
  /** What is measured, for screen readers. */
  label: string;
  kappa: number;
  interval: readonly [number, number] | null;
}

const MARGIN_PERCENT = 3;
/** Ticks at chance level, and where the lower end of the interval becomes usable and good. */
const TICKS = [-1, -0.5, 0, 0.4, 0.6, 1];
const at = (kappa: number): string => {
  const share = (Math.min(1, Math.max(-1, kappa)) + 1) / 2;
  return `${MARGIN_PERCENT + share * (100 - 2 * MARGIN_PERCENT)}%`;
};

/** An agreement with its interval on the scale from -1 to 1, where 0 is chance level. */
export function KappaFigure({ label, kappa, interval }: Kappa) {
  const [low, high] = interval ?? [kappa, kappa];
  const isHollow = !interval || (low <= 0 && high >= 0);
  return (
    <figure className="delta" aria-label={label}>
      <svg aria-hidden="true">
        {TICKS.map((tick) => (
          <line key={tick} className={`grid${tick === 0 ? ' zero' : ''}`} x1={at(tick)} x2={at(tick)} y1="0" y2="24" />
        ))}
        <line className="bar" x1={at(low)} x2={at(high)} y1="12" y2="12" />
        <circle className={`dot${isHollow ? ' hollow' : ''}`} cx={at(kappa)} cy="12" r="5" />
      </svg>
      <svg aria-hidden="true">
        {TICKS.map((tick) => (
          <text key={tick} x={at(tick)} y="16" textAnchor="middle">
            {tick}
          </text>
        ))}
      </svg>
      <div>{kappaText(kappa, interval)}</div>
    </figure>
  );
}
