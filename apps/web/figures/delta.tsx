import './figures.css';

interface Delta {
  /** -1..1 */
  difference: number;
  interval: readonly [number, number] | null;
  /** What it is of, for screen readers. */
  label: string;
}

const MARGIN_PERCENT = 6;
/** Ends of the scale, in shares; the first that holds the interval is taken. */
const SCALES = [0.05, 0.1, 0.2, 0.5, 1];

const points = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)}`;

/** "+5.1 points (1.2 to 9.0)" */
export const deltaText = ({ difference, interval }: Omit<Delta, 'label'>): string =>
  `${points(difference)} points${interval ? ` (${points(interval[0])} to ${points(interval[1])})` : ''}`;

/** A difference with its interval about zero. Its dot is filled only where the interval leaves zero out. */
export function DeltaFigure({ label, difference, interval }: Delta) {
  const [low, high] = interval ?? [difference, difference];
  const end = SCALES.find((scale) => Math.max(Math.abs(low), Math.abs(high)) <= scale) ?? 1;
  const at = (share: number): string => `${50 + (share / end) * (50 - MARGIN_PERCENT)}%`;
  const isHollow = !interval || (low <= 0 && high >= 0);
  return (
    <figure className="delta" aria-label={label}>
      <svg aria-hidden="true">
        {[-end, 0, end].map((tick) => (
          <line key={tick} className={`grid${tick === 0 ? ' zero' : ''}`} x1={at(tick)} x2={at(tick)} y1="0" y2="24" />
        ))}
        <line className="bar" x1={at(low)} x2={at(high)} y1="12" y2="12" />
        <circle className={`dot${isHollow ? ' hollow' : ''}`} cx={at(difference)} cy="12" r="5" />
      </svg>
      <svg aria-hidden="true">
        {[-end, 0, end].map((tick) => (
          <text key={tick} x={at(tick)} y="16" textAnchor="middle">
            {points(tick).replace('.0', '')}
          </text>
        ))}
      </svg>
      <div>{deltaText({ difference, interval })}</div>
    </figure>
  );
}
