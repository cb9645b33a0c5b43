import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Summary } from '#lib/contracts/summary';
import { money, percent, scoreText } from '../../../ui/amounts';
import { frontierOf } from '../../../ui/figures/frontier';
import { Picture, type NumberRow } from '../../../ui/figures/picture';
import { Scatter, type ScatterMark } from '../../../ui/figures/scatter';
import { Note } from '../../../ui/hint';
import { duration } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { ModelName, useShortNames } from '../../providers/parts/model-name';
import type { ModelNames } from '../../providers/parts/model-names';
import { AbsentModels } from './absent-models';
import css from './cost-quality.module.css';
import { costOf, hasCosts, latencyOf, tradesOf, type Trade, type TradeAxis } from './trade-off';

/** A run whose models are drawn, with its letter where there are several. */
export interface TradeSide {
  runId: string;
  summaries: readonly Summary[];
  letter?: string;
}

interface Props {
  sides: readonly TradeSide[];
  /** From the address; undefined for cost, or latency where nothing costs anything. */
  asked: TradeAxis | undefined;
  /** What the picture answers. */
  answer: (axis: TradeAxis, nameOf: (target: string) => string) => string;
  /** The same screen with another axis. */
  linkTo: (axis: TradeAxis) => Pick<LinkProps, 'to' | 'params' | 'search'>;
}

const AXES = {
  cost: { title: 'Cost against score', name: 'Cost', good: 'cheaper', what: 'US dollars for 1,000 cases' },
  latency: {
    title: 'Latency against score',
    name: 'p95 latency',
    good: 'faster',
    what: 'time within which 95 % reply',
  },
} as const;

/** What models score for what they cost, or for how long they take, and which of them no cheaper one reaches. */
export function CostQuality({ sides, asked, answer, linkTo }: Props) {
  const summaries = sides.flatMap((side) => side.summaries);
  const axis = asked ?? (hasCosts(summaries) ? 'cost' : 'latency');
  const targets = summaries.map(({ target }) => target).join('\n');
  const names = useShortNames(useMemo(() => targets.split('\n'), [targets]));
  const { title } = AXES[axis];
  const words = answer(axis, names.of);
  return (
    <section className={css.trade} aria-label={title}>
      <div className={css.head}>
        <p className={css.answer}>{words === '' ? title : <UserText text={words} max={600} />}</p>
        <nav className={css.axes} aria-label="Against the score">
          {(['cost', 'latency'] as const).map((one) => (
            <Link
              key={one}
              {...linkTo(one)}
              className="button dense"
              resetScroll={false}
              aria-current={one === axis ? 'true' : undefined}
            >
              {AXES[one].name}
            </Link>
          ))}
        </nav>
      </div>
      <TradePicture sides={sides} axis={axis} names={names} />
      <AbsentModels absent={sides.flatMap((side) => tradesOf(side.summaries, axis).absent)} names={names} />
    </section>
  );
}

interface PictureProps {
  sides: readonly TradeSide[];
  axis: TradeAxis;
  names: ModelNames;
}

function TradePicture({ sides, axis, names }: PictureProps) {
  const navigate = useNavigate();
  const points = pointsOf(sides, axis);
  if (points.length === 0) return <p className={`muted ${css.none}`}>No model has a score and {AXES[axis].name}.</p>;
  const nameOf = ({ trade, letter }: Point): string =>
    letter === undefined ? names.of(trade.target) : `${letter} ${names.of(trade.target)}`;
  const leading = new Set(frontierOf(points));
  const open = (index: number): void => {
    const { runId, trade } = points[index]!;
    void navigate({ to: '/runs/$runId/results', params: { runId }, search: { model: [trade.target] } });
  };
  const { title, good, what } = AXES[axis];
  return (
    <Picture
      label={title}
      read={
        <>
          {names.prefix !== '' && (
            <>
              All names begin with <UserText text={names.prefix} max={100} />{' '}
            </>
          )}
          <HowToRead axis={axis} />
        </>
      }
      numbers={{
        head: [...(sides.length > 1 ? ['Run'] : []), 'Model', 'Score', 'Cost of 1,000 cases', 'p95', 'On the line'],
        rows: () => points.map((point) => rowOf(point, leading.has(point))),
      }}
    >
      <Scatter
        marks={points.map((point) => markOf(point, nameOf(point), axis, points))}
        xTitle={[good, what]}
        xWords={axis === 'cost' ? (usd) => `$${usd}` : duration}
        zeroWords={points.some(({ x, trade }) => x === 0 && !trade.isSimulated) ? 'free' : 'simulated'}
        open={open}
      />
    </Picture>
  );
}

interface Point {
  x: number;
  y: number;
  runId: string;
  letter: string | undefined;
  place: number;
  /** How far it is drawn beside its place, in runs: models often cost the same in each. */
  aside: number;
  trade: Trade;
  summary: Summary;
}

/** From the left, the best of equal ones first. */
const pointsOf = (sides: readonly TradeSide[], axis: TradeAxis): Point[] =>
  sides
    .flatMap(({ runId, letter, summaries }, place) =>
      tradesOf(summaries, axis).placed.map((trade): Point => {
        const summary = summaries.find(({ target }) => target === trade.target)!;
        const aside = place - (sides.length - 1) / 2;
        return { x: trade.x, y: trade.y, runId, letter, place, aside, trade, summary };
      }),
    )
    .sort((one, other) => one.x - other.x || other.y - one.y);

const keyOf = ({ place, trade }: Point): string => `${place} ${trade.target}`;

function markOf(point: Point, name: string, axis: TradeAxis, all: readonly Point[]): ScatterMark {
  const { x, y, place, trade, summary } = point;
  const after = all.find((other) => other.place === place + 1 && other.trade.target === trade.target);
  const amount = amountText(x, trade, axis);
  return {
    key: keyOf(point),
    x,
    y,
    interval: trade.interval,
    name,
    words: `${name}: ${percent(y)}, ${amount}`,
    isRing: place > 0,
    aside: point.aside,
    to: after && keyOf(after),
    card: (
      <>
        <strong>
          <UserText text={name} max={200} />
        </strong>
        <div>{scoreText({ mean: y, ci: trade.interval, scored: summary.scored })}</div>
        <div>{amount}</div>
      </>
    ),
  };
}

function amountText(x: number, { isSimulated }: Trade, axis: TradeAxis): string {
  if (axis === 'latency') return `95 % of replies within ${duration(x)}`;
  if (x > 0) return `${money(x)} for 1,000 cases`;
  return isSimulated ? 'simulated, no cost' : 'free';
}

function rowOf(point: Point, isLeading: boolean): NumberRow {
  const { letter, trade, summary, y } = point;
  const [cost, latency] = [costOf(summary), latencyOf(summary)];
  return {
    key: keyOf(point),
    cells: [
      ...(letter === undefined ? [] : [letter]),
      <ModelName key="model" target={trade.target} />,
      scoreText({ mean: y, ci: trade.interval, scored: summary.scored }),
      typeof cost === 'number' ? money(cost) : cost,
      typeof latency === 'number' ? duration(latency) : latency,
      isLeading ? 'yes' : '',
    ],
  };
}

const HowToRead = ({ axis }: { axis: TradeAxis }) => (
  <Note of="How to read this">
    Up is better, left is {AXES[axis].good}. The line joins the models whose mean no {AXES[axis].good} one reaches. Bars
    are 95 % intervals: where they overlap, the line does not settle which model is better.
    {axis === 'cost' && ' Stored replies are left out of the cost.'}
  </Note>
);
