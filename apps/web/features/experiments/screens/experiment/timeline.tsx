import type { TimelineEntry } from '#lib/contracts/experiment';
import { Numbers } from '../../../../ui/figures/numbers';
import { Note } from '../../../../ui/hint';
import { count, percent, type Scored, scoreText } from '../../../../ui/amounts';
import { UserText } from '../../../../ui/user-text';
import css from './experiment.module.css';

/** What is drawn of an entry at its position. Without a score it only takes up the position. */
export type DrawnEntry = Pick<
  TimelineEntry,
  | 'type'
  | 'id'
  | 'name'
  | 'timestamp'
  | 'score'
  | 'score_ci'
  | 'scored'
  | 'suite_version'
  | 'is_baseline'
  | 'is_best'
  | 'comparison'
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
  const drawn = entries.filter(({ score }) => score !== null);
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
          <svg aria-hidden="true" style={{ minWidth: drawn.length * COLUMN }}>
            <Plot entries={drawn} {...{ baseline, ticks, y }} />
          </svg>
        </div>
      </div>
      <figcaption className="muted">
        {timelineText(entries)} <Legend baseline={baseline} />
      </figcaption>
      <Numbers
        label={`${label}, in numbers`}
        head={['Run', 'Score', 'Suite version']}
        rows={drawn.map((entry) => ({
          key: entry.id,
          cells: [
            <UserText key="name" text={entryName(entry)} max={100} />,
            scoreText({ mean: entry.score, ci: entry.score_ci, scored: entry.scored }),
            entry.suite_version,
          ],
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
  const places = timePlaces(entries.map(({ timestamp }) => Date.parse(timestamp)));
  const x = (place: number): string => `${(EDGE + places[place]! * (1 - 2 * EDGE)) * 100}%`;
  const labels = timeLabels(
    entries.map(({ timestamp }) => timestamp),
    places,
  );
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
          time={labels[place]}
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
  /** Its time, where there is room for it. */
  time: string | undefined;
  x: string;
  y: PlotProps['y'];
  /** Whether it is the first of its suite version. */
  isNew: boolean;
}

function Point({ entry, time, x, y, isNew }: PointProps) {
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
        <g>
          <title>{`${entryName(entry)}, ${scoreText({ mean: score, ci: interval, scored: entry.scored })}`}</title>
          {interval && <line className="bar" x1={x} x2={x} y1={y(interval[1])} y2={y(interval[0])} />}
          {isBest && <circle className={css.best} cx={x} cy={y(score)} r="9" />}
          <circle
            className={`dot ${isBaseline ? css.ofBaseline : isShown ? '' : 'hollow'}`.trim()}
            cx={x}
            cy={y(score)}
            r={isBaseline ? 6 : 5}
          />
        </g>
      )}
      {time !== undefined && (
        <text x={x} y={HEIGHT - 6} textAnchor={anchorOf(parseFloat(x))}>
          {time}
        </text>
      )}
    </>
  );
}

/** A text at an end of the axis stays within the figure. @param x in percent */
const anchorOf = (x: number): 'start' | 'middle' | 'end' => (x < 10 ? 'start' : x > 90 ? 'end' : 'middle');

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

/** The name of a run; without one, the end of its id. */
export const entryName = ({ id, name }: Pick<TimelineEntry, 'id' | 'name'>): string => name ?? `run ${id.slice(-8)}`;

/**
 * Where times lie on an axis from 0 to 1. Those of one moment get a little room, so that no dot hides another.
 * @param times in order, in milliseconds
 */
export function timePlaces(times: readonly number[]): number[] {
  if (times.length === 1) return [0.5];
  const span = times.at(-1)! - times[0]! || 1;
  const gap = 0.5 / (times.length - 1);
  const places: number[] = [];
  for (const time of times)
    places.push(places.length === 0 ? 0 : Math.max((time - times[0]!) / span, places.at(-1)! + gap));
  const last = places.at(-1)!;
  return places.map((place) => place / last);
}

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
/** The least distance of two times below the axis. */
const LABEL = 0.12;
const DAY_MS = 86_400_000;

/** The times to write below an axis: a day, or the minute if all are of one; each once, and none over another. */
export function timeLabels(at: readonly string[], places: readonly number[]): (string | undefined)[] {
  const span = Date.parse(at.at(-1) ?? '') - Date.parse(at[0] ?? '');
  const format = span >= DAY_MS ? days : minutes;
  let [lastPlace, lastText] = [-1, ''];
  return at.map((one, n) => {
    const text = format.format(new Date(one));
    if (places[n]! - lastPlace < LABEL || text === lastText) return undefined;
    [lastPlace, lastText] = [places[n]!, text];
    return text;
  });
}

/** A text description of the figure. */
export function timelineText(entries: readonly DrawnEntry[]): string {
  const scores = entries.flatMap(({ score }) => score ?? []);
  const drawn = scores.length === 1 ? '1 score' : `${count(scores.length)} scores`;
  const versions = new Set(entries.flatMap(({ suite_version: version }) => version ?? [])).size;
  return [
    `${drawn}, ${percent(Math.min(...scores))} to ${percent(Math.max(...scores))}.`,
    ...(versions > 1 ? [`${versions} versions of the suite.`] : []),
  ].join(' ');
}

/** How to read the figure. */
function Legend({ baseline }: { baseline: Band | undefined }) {
  return (
    <Note of="How to read this">
      <p>
        Each dot is a mean over the models, with its 95 % interval. A filled dot differs from the baseline, case by
        case, even where bars overlap. Lines join scores of one version of the suite.
      </p>
      {baseline && <p>The band is the interval of the baseline, {scoreText(baseline)}.</p>}
    </Note>
  );
}

/** Room at both ends of the axis for half a label. */
const EDGE = 0.04;
const HEIGHT = 200;
const TOP = 16;
const BOTTOM = 24;
/** Room for a dot and its number. */
const COLUMN = 28;
const MAX_TICKS = 5;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];
