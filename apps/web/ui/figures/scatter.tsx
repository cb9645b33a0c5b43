import type { ReactNode } from 'react';
import { cutInMiddle } from './cut';
import { frontierOf } from './frontier';
import { placeLabels, type Box } from './label-places';
import { MarkCard, Plot, useMarks } from './picture';
import { linearScale, logScale, type Scale } from './scales';
import css from './scatter.module.css';
import { useWidth } from './width';

export interface ScatterMark {
  key: string;
  /** 0 is drawn at the left edge. */
  x: number;
  /** 0..1 */
  y: number;
  interval: readonly [number, number] | null;
  name: string;
  /** What a screen reader says of it. */
  words: string;
  card: ReactNode;
  isRing?: boolean;
  /** How far beside its place it is drawn, where marks of several runs would hide each other; 0 by default. */
  aside?: number;
  /** The mark that a thin line leads to. */
  to?: string;
}

interface Props {
  /** From the left. */
  marks: readonly ScatterMark[];
  /** Below the axis: which end is good, and what it measures. */
  xTitle: readonly [good: string, what: string];
  xWords: (value: number) => string;
  /** Below the band of zeros. */
  zeroWords?: string;
  open: (index: number) => void;
  height?: number;
}

const FIRST_WIDTH = 560;
const EDGES = { left: 44, right: 14, top: 22, bottom: 40 };
const ZERO_BAND = 72;
/** From this ratio on, equal distances are equal ratios. */
const WIDE_RATIO = 4;
/** With more marks, only those on the frontier have their intervals. */
const MAX_BARS = 12;
const MAX_NAME = 26;
const [DOT, REACH] = [5, 11];
const PX_OF_A_TICK = 64;
const MAX_TICKS = 6;
const MAX_LABELS = 10;
const ASIDE = 9;
/** How far a logarithmic axis goes on beside its values, as a factor. */
const BESIDE = 1.25;

/** Marks by what they cost and what they are worth, with the frontier of those that no cheaper one reaches. */
export function Scatter({ marks, xTitle, xWords, zeroWords = '0', open, height = 220 }: Props) {
  const { ref, width } = useWidth<HTMLDivElement>(FIRST_WIDTH);
  const inner = innerOf(width, height, marks);
  const { x, across, y, xTicks, yTicks } = axesOf(marks, inner, width);
  const frontier = frontierOf(marks);
  const leading = new Set(frontier.map(({ key }) => key));
  const { shown, propsOf, plotProps } = useMarks({ count: marks.length, open });
  const labels = labelsOf(frontier, marks, across, y, inner);
  const active = shown === undefined ? undefined : marks[shown];
  const hasBar = ({ key }: ScatterMark): boolean => marks.length <= MAX_BARS || leading.has(key) || key === active?.key;
  return (
    <Plot of={{ plotProps }}>
      <div ref={ref} style={{ height }}>
        <svg className={css.scatter} width={width} height={height}>
          <g aria-hidden="true">
            <Axes {...{ inner, xTicks, yTicks, xWords, xTitle, x, y }} />
            {inner.zero && (
              <text x={inner.left + ZERO_BAND / 2} y={height - EDGES.bottom + 16} textAnchor="middle">
                {zeroWords}
              </text>
            )}
            <path className={css.frontier} d={stepsOf(frontier, across, y, inner)} />
            <Links marks={marks} across={across} y={y} />
            {marks.map((mark) => (
              <Dot
                key={mark.key}
                mark={mark}
                at={[across(mark), y(mark.y)]}
                bar={hasBar(mark) && mark.interval ? [y(mark.interval[0]), y(mark.interval[1])] : undefined}
                isLeading={leading.has(mark.key)}
                isActive={mark === active}
              />
            ))}
            {labels.map(({ key, text, name, place }) => (
              <text key={key} className={css.name} x={place.x} y={place.y} textAnchor={place.anchor}>
                <title>{name}</title>
                {text}
              </text>
            ))}
          </g>
          {marks.map((mark, index) => (
            <circle
              key={mark.key}
              className={css.reach}
              cx={across(mark)}
              cy={y(mark.y)}
              r={REACH}
              {...propsOf(index, mark.words)}
            />
          ))}
        </svg>
      </div>
      {active && <MarkCard at={[across(active) / width, y(active.y) / height]}>{active.card}</MarkCard>}
    </Plot>
  );
}

interface DotProps {
  mark: ScatterMark;
  at: readonly [x: number, y: number];
  /** The ends of its interval, where that is drawn. */
  bar: readonly [low: number, high: number] | undefined;
  isLeading: boolean;
  isActive: boolean;
}

function Dot({ mark, at: [x, y], bar, isLeading, isActive }: DotProps) {
  const look = [isLeading && css.leading, isActive && css.active, mark.isRing && css.ring].filter(Boolean).join(' ');
  return (
    <g className={look || undefined}>
      {bar && <line className={css.bar} x1={x} x2={x} y1={bar[0]} y2={bar[1]} />}
      <circle className={css.dot} cx={x} cy={y} r={isLeading ? DOT : DOT - 1} />
    </g>
  );
}

interface Inner extends Box {
  /** Whether it has a band of zeros at its left edge. */
  zero: boolean;
}

const innerOf = (width: number, height: number, marks: readonly ScatterMark[]): Inner => ({
  left: EDGES.left,
  top: EDGES.top,
  width: Math.max(1, width - EDGES.left - EDGES.right),
  height: height - EDGES.top - EDGES.bottom,
  zero: marks.some(({ x }) => x === 0),
});

type Place = (value: number) => number;
type Across = (mark: ScatterMark) => number;

function axesOf(marks: readonly ScatterMark[], inner: Inner, width: number) {
  const known = marks.map(({ x }) => x).filter((x) => x > 0);
  const most = Math.max(2, Math.min(MAX_TICKS, Math.floor(width / PX_OF_A_TICK)));
  const xScale = xScaleOf(known, most, inner.zero);
  const yScale = linearScale(wideEnough(marks.flatMap(({ y, interval }) => [y, ...(interval ?? [])])), MAX_TICKS);
  const start = inner.left + (inner.zero ? ZERO_BAND : 0);
  const span = inner.left + inner.width - start;
  const zero = inner.left + ZERO_BAND / 2;
  const x: Place = (value) => Math.round(value === 0 && inner.zero ? zero : start + xScale.at(value) * span);
  const y: Place = (value) => Math.round(inner.top + (1 - yScale.at(value)) * inner.height);
  const across: Across = (mark) => x(mark.x) + Math.round((mark.aside ?? 0) * ASIDE);
  return { x, across, y, xTicks: known.length > 0 ? xScale.ticks : [], yTicks: yScale.ticks };
}

/** A few points do not fill the height. */
const LEAST_SPAN = 0.2;

function wideEnough(shares: readonly number[]): number[] {
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  if (high - low >= LEAST_SPAN) return [low, high];
  const end = Math.min(1, low + LEAST_SPAN);
  return [Math.max(0, end - LEAST_SPAN), end];
}

/** Wide spans are logarithmic, and end a little beside their values. */
function xScaleOf(known: readonly number[], most: number, hasZero: boolean): Scale {
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!(high / low > WIDE_RATIO)) return linearScale(hasZero ? known : [0, ...known], most);
  const [from, to] = [Math.log(low / BESIDE), Math.log(high * BESIDE)];
  const at = (value: number): number => (Math.log(value) - from) / (to - from);
  return { at, ticks: logScale(known, most).ticks.filter((tick) => at(tick) >= 0 && at(tick) <= 1) };
}

interface AxesProps {
  inner: Inner;
  xTicks: readonly number[];
  yTicks: readonly number[];
  x: Place;
  y: Place;
  xWords: (value: number) => string;
  xTitle: Props['xTitle'];
}

function Axes({ inner, xTicks, yTicks, x, y, xWords, xTitle: [good, what] }: AxesProps) {
  const [right, bottom] = [inner.left + inner.width, inner.top + inner.height];
  return (
    <>
      {yTicks.map((tick) => (
        <g key={tick}>
          <line className={css.grid} x1={inner.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={inner.left - 6} y={y(tick) + 4} textAnchor="end">
            {Number((tick * 100).toFixed(1))} %
          </text>
        </g>
      ))}
      {xTicks.map((tick) => (
        <g key={tick}>
          <line className={css.grid} x1={x(tick)} x2={x(tick)} y1={inner.top} y2={bottom} />
          <text x={x(tick)} y={bottom + 16} textAnchor={x(tick) > right - 16 ? 'end' : 'middle'}>
            {xWords(tick)}
          </text>
        </g>
      ))}
      <text x={0} y={11}>
        ↑ score
      </text>
      <text x={inner.left} y={bottom + 34}>
        ← {good}
      </text>
      <text x={right} y={bottom + 34} textAnchor="end">
        {what}
      </text>
    </>
  );
}

const Links = ({ marks, across, y }: { marks: readonly ScatterMark[]; across: Across; y: Place }) =>
  marks.map((mark) => {
    const end = marks.find(({ key }) => key === mark.to);
    return (
      end && (
        <line key={mark.key} className={css.link} x1={across(mark)} y1={y(mark.y)} x2={across(end)} y2={y(end.y)} />
      )
    );
  });

/** Right and then up, from one mark of the frontier to the next. */
function stepsOf(frontier: readonly ScatterMark[], across: Across, y: Place, inner: Inner): string {
  const [first, ...others] = frontier;
  if (!first) return '';
  const steps = others.map((mark) => `H${across(mark)}V${y(mark.y)}`).join('');
  return `M${across(first)} ${y(first.y)}${steps}H${inner.left + inner.width}`;
}

function labelsOf(
  frontier: readonly ScatterMark[],
  marks: readonly ScatterMark[],
  across: Across,
  y: Place,
  inner: Inner,
) {
  // The best has its label first, and then the cheapest.
  const [best, ...others] = frontier.toReversed();
  const named = (best ? [best, ...others.slice(-1), ...others.slice(0, -1)] : [])
    .slice(0, MAX_LABELS)
    .map((mark) => ({ ...mark, text: cutInMiddle(mark.name, MAX_NAME) }));
  const boxOf = (mark: ScatterMark): Box => ({
    left: across(mark) - DOT,
    top: y(mark.y) - DOT,
    width: 2 * DOT,
    height: 2 * DOT,
  });
  const places = placeLabels(
    named.map((mark) => ({ x: across(mark), y: y(mark.y), text: mark.text })),
    { left: inner.left, top: 0, width: inner.width + EDGES.right, height: inner.top + inner.height },
    frontier.map(boxOf),
    marks.map(boxOf),
  );
  return named.flatMap(({ key, name, text }, index) => {
    const place = places[index];
    return place ? [{ key, name, text, place }] : [];
  });
}
