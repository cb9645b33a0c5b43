import type { ReactNode } from 'react';
import { percent } from '../amounts';

interface Scale {
  ticks: readonly number[];
  /** Where a value lies on the scale. */
  at: (value: number) => string;
}

interface Mark extends Scale {
  value: number;
  interval: readonly [number, number];
  isHollow: boolean;
  className?: string;
}

/** A dot with its interval over the ticks of a scale. */
export function IntervalMark({ ticks, at, value, interval: [low, high], isHollow, className }: Mark) {
  const hollow = isHollow ? ' hollow' : '';
  return (
    <svg aria-hidden="true" className={className}>
      {ticks.map((tick) => (
        <line key={tick} className={`grid${tick === 0 ? ' zero' : ''}`} x1={at(tick)} x2={at(tick)} y1="0" y2="24" />
      ))}
      <line className={`bar${hollow}`} x1={at(low)} x2={at(high)} y1="12" y2="12" />
      <circle className={`dot${hollow}`} cx={at(value)} cy="12" r="5" />
    </svg>
  );
}

/** The labels of the ticks. */
export const TickLabels = ({ ticks, at, words = String }: Scale & { words?: (tick: number) => string }) => (
  <svg aria-hidden="true">
    {ticks.map((tick) => (
      <text key={tick} x={at(tick)} y="16" textAnchor="middle">
        {words(tick)}
      </text>
    ))}
  </svg>
);

export interface IntervalRow {
  key: string;
  label: ReactNode;
  mean: number;
  interval: readonly [number, number];
  /** Marks an interval that says too little, because all values were equal. */
  isHollow?: boolean;
  /** The same in words, next to the bar. */
  text: ReactNode;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Keeps the dots and labels at the ends of the scale from being cut off. */
const MARGIN_PERCENT = 3;
/** Where a share lies on the scale from 0 to 100 %. */
export const intervalPlace = (share: number): string => `${MARGIN_PERCENT + share * (100 - 2 * MARGIN_PERCENT)}%`;

type Drawn = Pick<IntervalRow, 'mean' | 'interval' | 'isHollow'>;

/** A mean with its interval on the scale from 0 to 100 %, with a text next to it. */
export const IntervalBar = ({ mean, interval, isHollow = false }: Drawn) => (
  <IntervalMark className="interval-bar" ticks={TICKS} at={intervalPlace} value={mean} {...{ interval, isHollow }} />
);

/** Means with their intervals on one scale from 0 to 100 %. Each row describes in words what it draws. */
export function Intervals({ rows, label }: { rows: IntervalRow[]; label: string }) {
  return (
    <figure className="intervals" aria-label={label}>
      {rows.map(({ key, label: name, mean, interval, isHollow, text }) => (
        <div className="figure-row" key={key}>
          <div>{name}</div>
          <IntervalBar mean={mean} interval={interval} isHollow={isHollow} />
          <div>{text}</div>
        </div>
      ))}
      <div className="figure-row" aria-hidden="true">
        <div />
        <TickLabels ticks={TICKS} at={intervalPlace} words={(tick) => percent(tick).replace('.0', '')} />
        <div />
      </div>
    </figure>
  );
}
