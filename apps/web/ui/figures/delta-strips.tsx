import type { ReactNode } from 'react';
import { deltaText } from './delta';
import css from './delta-strips.module.css';
import { linearScale } from './scales';

/** The difference of one of several runs. */
export interface DeltaMark {
  /** A letter, drawn at its dot. */
  letter: string;
  /** -1..1; null if nothing can be compared. */
  difference: number | null;
  interval: readonly [number, number] | null;
}

export interface DeltaStripRow {
  key: string;
  label: ReactNode;
  marks: readonly DeltaMark[];
}

interface Props {
  /** What is drawn, for screen readers. */
  label: string;
  rows: readonly DeltaStripRow[];
}

const LANE = 18;
const EDGE_PERCENT = 3;
const MAX_TICKS = 8;
/** Differences smaller than a point do not fill the picture. */
const LEAST = 0.01;
const TICKS_HEIGHT = 20;

/** Differences of several runs from one, a strip for each row, all on one scale around zero. */
export function DeltaStrips({ label, rows }: Props) {
  const shares = rows.flatMap(({ marks }) =>
    marks.flatMap(({ difference, interval }) => [difference ?? 0, ...(interval ?? [])]),
  );
  const { at, ticks } = linearScale([LEAST, -LEAST, ...shares], MAX_TICKS);
  const x = (share: number): string => `${EDGE_PERCENT + at(share) * (100 - 2 * EDGE_PERCENT)}%`;
  return (
    <figure className={css.strips} aria-label={label}>
      <div className={`${css.row} muted small`} aria-hidden="true">
        <span>worse ← A → better</span>
        <svg className={css.strip} height={TICKS_HEIGHT}>
          {ticks.map((tick) => (
            <text key={tick} x={x(tick)} y="14" textAnchor="middle">
              {tick > 0 ? '+' : ''}
              {Number((tick * 100).toFixed(1))}
            </text>
          ))}
        </svg>
      </div>
      {rows.map(({ key, label: name, marks }) => (
        <div key={key} className={css.row}>
          <div className={css.name}>{name}</div>
          <svg className={css.strip} height={LANE * marks.length + 4} role="img" aria-label={wordsOf(marks)}>
            {ticks.map((tick) => (
              <line
                key={tick}
                className={tick === 0 ? css.zero : css.grid}
                x1={x(tick)}
                x2={x(tick)}
                y1="0"
                y2="100%"
              />
            ))}
            {marks.map((mark, lane) => (
              <StripMark key={mark.letter} mark={mark} x={x} y={lane * LANE + LANE / 2 + 2} />
            ))}
          </svg>
        </div>
      ))}
    </figure>
  );
}

function StripMark({ mark, x, y }: { mark: DeltaMark; x: (share: number) => string; y: number }) {
  const { letter, difference, interval } = mark;
  if (difference === null) return null;
  const [low, high] = interval ?? [difference, difference];
  const isClear = interval !== null && (low > 0 || high < 0);
  return (
    <g className={isClear ? css.clear : undefined}>
      <title>{`${letter}: ${deltaText({ difference, interval })}`}</title>
      <line className={css.bar} x1={x(low)} x2={x(high)} y1={y} y2={y} />
      <circle className={css.disc} cx={x(difference)} cy={y} r="8" />
      <text className={css.letter} x={x(difference)} y={y + 4} textAnchor="middle">
        {letter}
      </text>
    </g>
  );
}

const wordsOf = (marks: readonly DeltaMark[]): string =>
  marks
    .map(({ letter, difference, interval }) =>
      difference === null ? `${letter}: nothing to compare` : `${letter}: ${deltaText({ difference, interval })}`,
    )
    .join('; ');
