import { Numbers } from '../../../../ui/figures/numbers';
import { count, percent, scoreText } from '../../../../ui/score';
import css from './experiment.module.css';

/** An ended run or other entry at its position; without a score it only takes up the position. */
export interface TimelinePoint {
  key: string;
  /** Its number in the list next to the figure. */
  number: number;
  score: number | null;
  interval: readonly [number, number] | null;
  scored: number;
  errored: number;
  suiteVersion: number | null;
  isBaseline: boolean;
  isBest: boolean;
  /** Whether it is shown to be better or worse than the baseline. */
  isShown: boolean;
}

/** The reference score. */
export interface Band {
  score: number;
  interval: readonly [number, number] | null;
  scored: number;
}

interface Props {
  label: string;
  points: readonly TimelinePoint[];
  band: Band | undefined;
}

type ScoredPoint = TimelinePoint & { score: number };
const HEIGHT = 200;
const TOP = 16;
const BOTTOM = 24;
/** Room for a dot and its number. */
const COLUMN = 28;
const MAX_TICKS = 5;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];

/** The ticks of a scale that includes all of these shares: up to six, at whole steps. */
export function ticksFor(shares: readonly number[]): number[] {
  const [low, high] = [Math.max(0, Math.min(...shares)), Math.min(1, Math.max(...shares))];
  for (const step of STEPS) {
    const [first, last] = [Math.floor(low / step + 1e-9), Math.max(Math.ceil(high / step - 1e-9), 1)];
    const from = Math.min(first, last - 1);
    if (last - from > MAX_TICKS) continue;
    return Array.from({ length: last - from + 1 }, (_, n) => Number(((from + n) * step).toFixed(4)));
  }
  return [0, 0.25, 0.5, 0.75, 1];
}

/**
 * Neighbouring points with a score that a line may join. Scores of different suite versions are not comparable at a
 * glance.
 */
export function joinedPairs<Point extends TimelinePoint>(points: readonly Point[]): [number, number][] {
  const places = points.flatMap(({ score }, place) => (score === null ? [] : [place]));
  return places
    .slice(1)
    .map((place, index): [number, number] => [places[index]!, place])
    .filter(([from, to]) => points[from]!.suiteVersion === points[to]!.suiteVersion);
}

/** A text description of the figure. */
export function timelineText(points: readonly TimelinePoint[], band: Band | undefined): string {
  const scores = points.flatMap(({ score }) => (score === null ? [] : [score]));
  const drawn = `${scores.length === 1 ? 'One score' : `${count(scores.length)} scores`}, oldest first`;
  const range = `from ${percent(Math.min(...scores))} to ${percent(Math.max(...scores))}`;
  const versions = new Set(points.flatMap(({ suiteVersion }) => suiteVersion ?? []));
  return [
    `${drawn}, ${range}, each with its 95 % interval.`,
    ...(band ? [`The band is the interval of the baseline, ${bandText(band)}.`] : []),
    'A filled dot differs from the baseline in a case-by-case comparison, even where the bars overlap.',
    ...(versions.size > 1
      ? [`The suite had ${versions.size} versions; lines join only scores of the same version.`]
      : []),
  ].join(' ');
}

const bandText = ({ score, interval, scored }: Band): string => scoreText({ mean: score, ci: interval, scored });

/** Scores in time order with their intervals, against the baseline's interval. */
export function Timeline({ label, points, band }: Props) {
  const drawn = points.filter((point): point is ScoredPoint => point.score !== null);
  if (drawn.length === 0) return null;
  const ends = [...drawn.flatMap(boundsOf), ...(band ? boundsOf(band) : [])];
  const ticks = ticksFor(ends);
  const y = (share: number): number => {
    const [low, high] = [ticks[0]!, ticks.at(-1)!];
    return TOP + (1 - (share - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  };
  return (
    <figure className={`timeline ${css.figure}`} aria-label={label}>
      <div className={css.plot}>
        <svg aria-hidden="true">
          {ticks.map((tick) => (
            <text key={tick} x="44" y={y(tick) + 4} textAnchor="end">
              {percent(tick).replace('.0', '')}
            </text>
          ))}
        </svg>
        <div className="wide" tabIndex={0} role="region" aria-label={`${label}, drawn`}>
          <svg aria-hidden="true" style={{ minWidth: points.length * COLUMN }}>
            <Plot points={points} band={band} ticks={ticks} y={y} />
          </svg>
        </div>
      </div>
      <figcaption className="muted">{timelineText(points, band)}</figcaption>
      <Numbers
        label={`${label}, in numbers`}
        head={['Number', 'Score', 'Suite version']}
        rows={drawn.map(({ key, number, score, interval, scored, suiteVersion, isBaseline }) => ({
          key,
          cells: [
            isBaseline ? `${number}, the baseline` : number,
            scoreText({ mean: score, ci: interval, scored }),
            suiteVersion,
          ],
        }))}
      />
    </figure>
  );
}

const boundsOf = ({ score, interval }: { score: number; interval: Band['interval'] }): readonly number[] =>
  interval ?? [score];

interface PlotProps {
  points: readonly TimelinePoint[];
  band: Band | undefined;
  ticks: readonly number[];
  y: (share: number) => number;
}

function Plot({ points, band, ticks, y }: PlotProps) {
  const x = (place: number): string => `${((place + 0.5) / points.length) * 100}%`;
  return (
    <>
      {band?.interval && (
        <rect
          className={css.band}
          x="0"
          width="100%"
          y={y(band.interval[1])}
          height={Math.max(1, y(band.interval[0]) - y(band.interval[1]))}
        />
      )}
      {ticks.map((tick) => (
        <line key={tick} className="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
      ))}
      {band && <line className={css.baseline} x1="0" x2="100%" y1={y(band.score)} y2={y(band.score)} />}
      {joinedPairs(points).map(([from, to]) => (
        <line
          key={points[to]!.key}
          className={css.join}
          x1={x(from)}
          x2={x(to)}
          y1={y(points[from]!.score!)}
          y2={y(points[to]!.score!)}
        />
      ))}
      {points.map((point, place) => (
        <Point key={point.key} point={point} x={x(place)} y={y} isNew={startsVersion(points, place)} />
      ))}
    </>
  );
}

/** Whether the point is the first one drawn of its suite version, if several versions are drawn. */
function startsVersion(points: readonly TimelinePoint[], place: number): boolean {
  const version = points[place]!.suiteVersion;
  if (version === null) return false;
  const before = points.slice(0, place).findLast(({ suiteVersion }) => suiteVersion !== null)?.suiteVersion;
  return before === undefined
    ? points.some(({ suiteVersion }) => (suiteVersion ?? version) !== version)
    : before !== version;
}

interface PointProps {
  point: TimelinePoint;
  x: string;
  y: PlotProps['y'];
  isNew: boolean;
}

function Point({
  point: { number, score, interval, isBaseline, isBest, isShown, suiteVersion },
  x,
  y,
  isNew,
}: PointProps) {
  return (
    <>
      {isNew && (
        <text x={x} y="10" textAnchor="middle">
          v{suiteVersion}
        </text>
      )}
      {score !== null && (
        <>
          {interval && <line className="bar" x1={x} x2={x} y1={y(interval[1])} y2={y(interval[0])} />}
          {isBest && <circle className={css.best} cx={x} cy={y(score)} r="9" />}
          <circle
            className={`dot ${isBaseline ? css.ofBaseline : isShown ? '' : 'hollow'}`.trim()}
            cx={x}
            cy={y(score)}
            r={isBaseline ? 6 : 5}
          />
        </>
      )}
      <text className={isBaseline || isBest ? css.named : undefined} x={x} y={HEIGHT - 6} textAnchor="middle">
        {number}
      </text>
    </>
  );
}
