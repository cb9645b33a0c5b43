import type { ReactNode } from 'react';
import { percent } from '../amounts';
import { MarkCard, Plot, useMarks } from './picture';
import { linearScale, timeScale, type Scale } from './scales';
import css from './trend.module.css';
import { useWidth } from './width';

export interface TrendMark {
  key: string;
  /** Milliseconds. */
  at: number;
  /** 0..1; null where nothing is scored, which is a gap in the line. */
  mean: number | null;
  ci: readonly [number, number] | null;
  /** Worse or better than the run before it. */
  stands?: 'worse' | 'better' | undefined;
  /** Written above the line, as where a version begins. */
  note?: string | undefined;
  /** The line does not come here from the mark before. */
  isApart?: boolean | undefined;
  /** Said next to the mark, which gets a ring. */
  name?: string | undefined;
  words: string;
  card: ReactNode;
}

interface Reference {
  label: string;
  mean: number;
  ci: readonly [number, number] | null;
}

interface Props {
  marks: readonly TrendMark[];
  /** All lines that are drawn next to it, for one pair of scales. */
  of?: { marks: readonly TrendMark[] };
  isSmall?: boolean;
  /** The score that others are held against, as a line across with its interval. */
  reference?: Reference | undefined;
  open?: (index: number) => void;
}

const FIRST_WIDTH = 480;
const EDGES = { left: 44, right: 10, top: 18, bottom: 22 };
const HEIGHT = { small: 112, large: 260 };
const PX_OF_A_TICK = 84;
const MAX_NOTES = 12;
/** Of more runs only those that stand out get a dot. */
const MAX_DOTS = 60;

/** The score of a model over time with its interval as a band. Dots are runs that stand out. */
export function TrendPlot({ marks, of = { marks }, isSmall = false, reference, open }: Props) {
  const { ref, width } = useWidth<HTMLDivElement>(FIRST_WIDTH);
  const height = isSmall ? HEIGHT.small : HEIGHT.large;
  const plot = useMarks({ count: isSmall ? 0 : marks.length, open });
  const across = timeScale(
    of.marks.map(({ at }) => at),
    Math.max(2, Math.floor(width / PX_OF_A_TICK)),
  );
  const up = linearScale(sharesOf(reference ? [...of.marks, reference] : of.marks), isSmall ? 4 : 6);
  const x = (at: number): number => round(EDGES.left + across.at(at) * (width - EDGES.left - EDGES.right));
  const y = (share: number): number =>
    round(height - EDGES.bottom - up.at(share) * (height - EDGES.top - EDGES.bottom));
  const shown = plot.shown === undefined ? undefined : marks[plot.shown];
  const pieces = piecesOf(marks);
  const alone = new Set(pieces.flatMap(({ length, 0: first }) => (length === 1 ? first!.key : [])));
  const hasDots = !isSmall && marks.length <= MAX_DOTS;
  const named = marks.find(({ name }) => name !== undefined);
  const notes = marks.filter(({ note }) => note !== undefined).slice(-MAX_NOTES);
  return (
    <Plot of={plot}>
      <div ref={ref}>
        <svg className={css.trend} width={width} height={height} role="group" aria-label={wordsOf(marks)}>
          <Axes {...{ up, across, notes, x, y, width, height }} />
          {reference && <Across {...reference} {...{ width, y }} />}
          {pieces.map((piece) => (
            <g key={piece[0]!.key} aria-hidden="true">
              <path className={css.band} d={bandOf(piece, x, y)} />
              <polyline className={css.line} points={piece.map(({ at, mean }) => `${x(at)},${y(mean)}`).join(' ')} />
            </g>
          ))}
          {reference && (
            <ReferenceLabel {...reference} {...{ width, y }} isLeft={named !== undefined && x(named.at) > width / 2} />
          )}
          {marks.map((mark, index) => (
            <g key={mark.key} className={css.mark} {...(isSmall ? {} : plot.propsOf(index, spoken(mark)))}>
              {!isSmall && <rect className={css.reach} {...reachOf(marks, index, x)} y={0} height={height} />}
              <Shape mark={mark} {...{ x, y }} isAlone={alone.has(mark.key)} isDot={hasDots || shown === mark} />
            </g>
          ))}
        </svg>
      </div>
      {shown && <MarkCard at={[x(shown.at) / width, y(shown.mean ?? up.ticks[0]!) / height]}>{shown.card}</MarkCard>}
    </Plot>
  );
}

type Place = (value: number) => number;
type Scored = TrendMark & { mean: number };
const round: Place = (value) => Math.round(value * 10) / 10;
const END = 40;
const anchorOf = (x: number, width: number): 'middle' | 'end' => (x > width - END ? 'end' : 'middle');

const sharesOf = (marks: readonly Pick<TrendMark, 'mean' | 'ci'>[]): number[] => {
  const shares = marks.flatMap(({ mean, ci }) => (mean === null ? [] : [mean, ...(ci ?? [])]));
  return shares.length > 0 ? shares : [0, 1];
};

/** The runs of marks with a score, which a line joins. */
export function piecesOf(marks: readonly TrendMark[]): Scored[][] {
  const pieces: Scored[][] = [[]];
  for (const mark of marks) {
    if (mark.mean === null || mark.isApart) pieces.push([]);
    if (mark.mean !== null) pieces.at(-1)!.push(mark as Scored);
  }
  return pieces.filter(({ length }) => length > 0);
}

function bandOf(piece: readonly Scored[], x: Place, y: Place): string {
  if (piece.length < 2) return '';
  const top = piece.map(({ at, mean, ci }) => `${x(at)},${y(ci?.[1] ?? mean)}`);
  const bottom = piece.map(({ at, mean, ci }) => `${x(at)},${y(ci?.[0] ?? mean)}`).reverse();
  return `M${[...top, ...bottom].join('L')}Z`;
}

interface AxesProps {
  up: Scale;
  across: ReturnType<typeof timeScale>;
  notes: readonly TrendMark[];
  x: Place;
  y: Place;
  width: number;
  height: number;
}

const Axes = ({ up, across, notes, x, y, width, height }: AxesProps) => (
  <>
    {up.ticks.map((tick) => (
      <g key={tick} aria-hidden="true">
        <line className={css.grid} x1={EDGES.left} x2={width - EDGES.right} y1={y(tick)} y2={y(tick)} />
        <text x={EDGES.left - 6} y={y(tick) + 4} textAnchor="end">
          {percent(tick).replace('.0', '')}
        </text>
      </g>
    ))}
    {across.ticks.map((tick) => (
      <text key={tick} x={x(tick)} y={height - 6} textAnchor={anchorOf(x(tick), width)} aria-hidden="true">
        {across.words(tick)}
      </text>
    ))}
    {notes.map(({ key, at, note }) => (
      <g key={key} aria-hidden="true">
        <line className={css.note} x1={x(at)} x2={x(at)} y1={EDGES.top - 4} y2={height - EDGES.bottom} />
        <text x={x(at)} y={EDGES.top - 7} textAnchor={anchorOf(x(at), width)}>
          {note}
        </text>
      </g>
    ))}
  </>
);

interface LabelProps extends Reference {
  width: number;
  y: Place;
  /** At the left end, as the named mark is at the right. */
  isLeft: boolean;
}

const ReferenceLabel = ({ label, mean, width, y, isLeft }: LabelProps) => (
  <text
    className={css.halo}
    x={isLeft ? EDGES.left + 4 : width - EDGES.right - 4}
    y={besideOf(y(mean), 5)}
    textAnchor={isLeft ? 'start' : 'end'}
    aria-hidden="true"
  >
    {label}
  </text>
);

/** Where a text stands above something; below it where the notes are. */
const besideOf = (at: number, gap: number): number => (at - gap - LETTERS < EDGES.top ? at + gap + LETTERS : at - gap);
const LETTERS = 10;

const Across = ({ mean, ci, width, y }: Reference & { width: number; y: Place }) => (
  <g aria-hidden="true">
    {ci && (
      <rect
        className={css.interval}
        x={EDGES.left}
        width={Math.max(0, width - EDGES.left - EDGES.right)}
        y={y(ci[1])}
        height={Math.max(1, y(ci[0]) - y(ci[1]))}
      />
    )}
    <line className={css.reference} x1={EDGES.left} x2={width - EDGES.right} y1={y(mean)} y2={y(mean)} />
  </g>
);

/** What is heard of a mark has what is written at it, so that people who speak to the page can say it. */
const spoken = ({ name, words }: TrendMark): string =>
  name === undefined || words.includes(name) ? words : `${name}: ${words}`;

/** What belongs to a mark under the pointer: half the way to its neighbours. */
function reachOf(marks: readonly TrendMark[], index: number, x: Place): { x: number; width: number } {
  const own = x(marks[index]!.at);
  const from = index === 0 ? own - 8 : (own + x(marks[index - 1]!.at)) / 2;
  const to = index === marks.length - 1 ? own + 8 : (own + x(marks[index + 1]!.at)) / 2;
  return { x: from, width: Math.max(0.5, to - from) };
}

const [SIZE, DOT] = [6, 3.5];

/** A triangle down for worse and up for better; a ring at the axis where nothing is scored. */
function Shape({ mark, x, y, isAlone, isDot }: ShapeProps) {
  const { at, mean, ci, stands, name } = mark;
  const across = x(at);
  if (mean === null) return <circle className={css.unknown} cx={across} cy={EDGES.top} r={DOT} />;
  const up = y(mean);
  if (stands !== undefined) {
    const tip = stands === 'worse' ? SIZE : -SIZE;
    const points = `${across - SIZE},${up - tip} ${across + SIZE},${up - tip} ${across},${up + tip}`;
    return <polygon className={stands === 'worse' ? css.worse : css.better} points={points} />;
  }
  if (!isAlone && !isDot && name === undefined) return null;
  return (
    <>
      {ci && isAlone && <line className={css.bar} x1={across} x2={across} y1={y(ci[0])} y2={y(ci[1])} />}
      <circle className={css.dot} cx={across} cy={up} r={DOT} />
      {name !== undefined && (
        <>
          <circle className={css.ring} cx={across} cy={up} r={DOT + 4} />
          <text className={css.halo} x={across} y={besideOf(up, DOT + 9)} textAnchor="middle" aria-hidden="true">
            {name}
          </text>
        </>
      )}
    </>
  );
}

interface ShapeProps {
  mark: TrendMark;
  x: Place;
  y: Place;
  isAlone: boolean;
  isDot: boolean;
}

/** "86.0 % to 45.0 % in 400 runs" */
function wordsOf(marks: readonly TrendMark[]): string {
  const means = marks.flatMap(({ mean }) => mean ?? []);
  if (means.length === 0) return 'No score';
  if (means.length === 1) return `${percent(means[0]!)} in 1 run`;
  return `${percent(means[0]!)} to ${percent(means.at(-1)!)} in ${means.length.toLocaleString('en')} runs`;
}
