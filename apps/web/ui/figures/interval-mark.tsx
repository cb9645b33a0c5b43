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
