import type { TimelineEntry } from '#lib/contracts/experiment';
import { Numbers } from '../../../../ui/figures/numbers';
import { count, percent, type Scored, scoreText } from '../../../../ui/amounts';
import css from './experiment.module.css';

/** What is drawn of an entry at its position. Without a score it only takes up the position. */
export type DrawnEntry = Pick<
  TimelineEntry,
  'type' | 'id' | 'score' | 'score_ci' | 'scored' | 'suite_version' | 'is_baseline' | 'is_best' | 'comparison'
>;
type Band = Omit<Scored, 'errored'>;

interface Props {
  label: string;
  entries: readonly DrawnEntry[];
  /** The reference score. */
  baseline: Band | undefined;
}

/** Scores in time order with their intervals, against the baseline's interval. */
export function Timeline({ label, entries, baseline }: Props) {
  const drawn = entries.flatMap((entry, place) => (entry.score === null ? [] : [{ ...entry, number: place + 1 }]));
  if (drawn.length === 0) return null;
  const ticks = ticksFor([
    ...drawn.flatMap(({ score, score_ci: interval }) => interval ?? score!),
    ...(baseline ? (baseline.ci ?? [baseline.mean!]) : []),
  ]);
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const y = (share: number): number => TOP + (1 - (share - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
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
          <svg aria-hidden="true" style={{ minWidth: entries.length * COLUMN }}>
            <Plot {...{ entries, baseline, ticks, y }} />
          </svg>
        </div>
      </div>
      <figcaption className="muted">{timelineText(entries, baseline)}</figcaption>
      <Numbers
        label={`${label}, in numbers`}
        head={['Number', 'Score', 'Suite version']}
        rows={drawn.map(({ number, score, score_ci: ci, scored, suite_version: version, is_baseline: isBaseline }) => ({
          key: String(number),
          cells: [isBaseline ? `${number}, the baseline` : number, scoreText({ mean: score, ci, scored }), version],
        }))}
      />
    </figure>
  );
}

interface PlotProps extends Omit<Props, 'label'> {
  ticks: readonly number[];
  y: (share: number) => number;
}

function Plot({ entries, baseline, ticks, y }: PlotProps) {
  const x = (place: number): string => `${((place + 0.5) / entries.length) * 100}%`;
  const across = (share: number) => ({ x1: '0', x2: '100%', y1: y(share), y2: y(share) });
  const [low, high] = baseline?.ci ?? [];
  return (
    <>
      {low !== undefined && high !== undefined && (
        <rect className={css.band} x="0" width="100%" y={y(high)} height={Math.max(1, y(low) - y(high))} />
      )}
      {ticks.map((tick) => (
        <line key={tick} className="grid" {...across(tick)} />
      ))}
      {baseline && <line className={css.baseline} {...across(baseline.mean!)} />}
      {joinedPairs(entries).map(([from, to]) => (
        <line
          key={to}
          className={css.join}
          x1={x(from)}
          x2={x(to)}
          y1={y(entries[from]!.score!)}
          y2={y(entries[to]!.score!)}
        />
      ))}
      {entries.map((entry, place) => (
        <Point
          key={`${entry.type} ${entry.id}`}
          number={place + 1}
          x={x(place)}
          isNew={startsVersion(entries, place)}
          {...{ entry, y }}
        />
      ))}
    </>
  );
}

interface PointProps {
  entry: DrawnEntry;
  /** Its number in the list below the figure. */
  number: number;
  x: string;
  y: PlotProps['y'];
  /** Whether it is the first of its suite version. */
  isNew: boolean;
}

function Point({ entry, number, x, y, isNew }: PointProps) {
  const { score, score_ci: interval, is_baseline: isBaseline, is_best: isBest, suite_version: version } = entry;
  const verdict = entry.comparison?.verdict;
  const isShown = verdict === 'improved' || verdict === 'regressed';
  return (
    <>
      {isNew && (
        <text x={x} y="10" textAnchor="middle">
          v{version}
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
 * Neighbouring entries with a score that a line may join. Scores of different suite versions are not comparable at a
 * glance.
 */
export function joinedPairs(entries: readonly DrawnEntry[]): [number, number][] {
  const places = entries.flatMap(({ score }, place) => (score === null ? [] : [place]));
  return places
    .slice(1)
    .map((place, index): [number, number] => [places[index]!, place])
    .filter(([from, to]) => entries[from]!.suite_version === entries[to]!.suite_version);
}

/** Whether the entry is the first one drawn of its suite version, if several versions are drawn. */
function startsVersion(entries: readonly DrawnEntry[], place: number): boolean {
  const versions = entries.map(({ suite_version: version }) => version);
  const version = versions[place];
  if (version == null) return false;
  const before = versions.slice(0, place).findLast((one) => one !== null);
  return before === undefined ? versions.some((one) => (one ?? version) !== version) : before !== version;
}

/** A text description of the figure. */
export function timelineText(entries: readonly DrawnEntry[], baseline: Band | undefined): string {
  const scores = entries.flatMap(({ score }) => score ?? []);
  const drawn = `${scores.length === 1 ? 'One score' : `${count(scores.length)} scores`}, oldest first`;
  const range = `from ${percent(Math.min(...scores))} to ${percent(Math.max(...scores))}`;
  const versions = new Set(entries.flatMap(({ suite_version: version }) => version ?? []));
  return [
    `${drawn}, ${range}, each with its 95 % interval.`,
    ...(baseline ? [`The band is the interval of the baseline, ${scoreText(baseline)}.`] : []),
    'A filled dot differs from the baseline in a case-by-case comparison, even where the bars overlap.',
    ...(versions.size > 1
      ? [`The suite had ${versions.size} versions; lines join only scores of the same version.`]
      : []),
  ].join(' ');
}

const HEIGHT = 200;
const TOP = 16;
const BOTTOM = 24;
/** Room for a dot and its number. */
const COLUMN = 28;
const MAX_TICKS = 5;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];
