import type { ReactNode } from 'react';
import { IntervalMark, TickLabels } from './intervals';

interface Delta {
  /** -1..1 */
  difference: number;
  interval: readonly [number, number] | null;
  /** What is measured, for screen readers. */
  label: string;
}

const MARGIN_PERCENT = 6;
/** Ends of the scale, in shares; the first one that fits the interval is used. */
const SCALES = [0.05, 0.1, 0.2, 0.5, 1];

/** "+5.1" */
export const points = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)}`;

/** "+5.1 points (1.2 to 9.0)" */
export const deltaText = ({ difference, interval }: Omit<Delta, 'label'>): string =>
  `${points(difference)} points${interval ? ` (${points(interval[0])} to ${points(interval[1])})` : ''}`;

/** Where a share lies on a scale that ends at `end`, and whether the interval includes zero. */
const positionOn =
  (end: number) =>
  (share: number): string =>
    `${50 + (share / end) * (50 - MARGIN_PERCENT)}%`;
const containsZero = (interval: Delta['interval']): boolean => !interval || (interval[0] <= 0 && interval[1] >= 0);
/** The end of a scale around zero that holds all of these. */
export const scaleEndOf = (shares: readonly number[]): number =>
  SCALES.find((scale) => shares.every((share) => Math.abs(share) <= scale)) ?? 1;
const boundsOf = ({ difference, interval }: Omit<Delta, 'label'>): readonly [number, number] =>
  interval ?? [difference, difference];

/** A difference with its interval around zero. Its dot is filled only if the interval excludes zero. */
export function DeltaFigure({ label, difference, interval }: Delta) {
  const end = scaleEndOf(boundsOf({ difference, interval }));
  return (
    <figure className="delta" aria-label={label}>
      <Bar end={end} difference={difference} interval={interval} />
      <Scale end={end} />
      <div>{deltaText({ difference, interval })}</div>
    </figure>
  );
}

const Bar = ({ end, difference, interval, isUnsure }: Omit<Delta, 'label'> & { end: number; isUnsure?: boolean }) => (
  <IntervalMark
    ticks={[-end, 0, end]}
    at={positionOn(end)}
    value={difference}
    interval={boundsOf({ difference, interval })}
    isHollow={isUnsure || containsZero(interval)}
  />
);

const Scale = ({ end }: { end: number }) => (
  <TickLabels ticks={[-end, 0, end]} at={positionOn(end)} words={(tick) => points(tick).replace('.0', '')} />
);

export interface DeltaRow {
  key: string;
  label: ReactNode;
  /** Null if nothing can be compared. */
  difference: number | null;
  interval: readonly [number, number] | null;
  /** Its dot is hollow although the interval excludes zero: by chance one of many does. */
  isUnsure?: boolean;
  /** Text next to the difference. */
  aside?: ReactNode;
}

/** Differences with their intervals on one scale around zero. Each row describes in words what it draws. */
export function Deltas({ rows, label }: { rows: readonly DeltaRow[]; label: string }) {
  const known = rows.flatMap(({ difference, interval }) => (difference === null ? [] : [{ difference, interval }]));
  const end = scaleEndOf(known.flatMap(boundsOf));
  return (
    <figure className="deltas" aria-label={label}>
      {rows.map(({ key, label: name, difference, interval, isUnsure, aside }) => (
        <div className="figure-row" key={key}>
          <div>{name}</div>
          <div>{difference !== null && <Bar {...{ end, difference, interval, isUnsure }} />}</div>
          <div>
            {difference === null ? (
              <span className="muted">nothing to compare</span>
            ) : (
              <span className="nowrap">{deltaText({ difference, interval })}</span>
            )}{' '}
            {aside}
          </div>
        </div>
      ))}
      {known.length > 0 && (
        <div className="figure-row" aria-hidden="true">
          <div />
          <Scale end={end} />
          <div className="muted small">left of zero: worse than the baseline</div>
        </div>
      )}
    </figure>
  );
}
