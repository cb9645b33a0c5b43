import { percent } from '../amounts';
import css from './sparkline.module.css';

export interface SparkLine {
  name: string;
  /** Whether it stands out, with its intervals as a band. */
  isMain: boolean;
  /** From the oldest; null where it has no score. */
  values: readonly ({ mean: number; ci: readonly [number, number] | null } | null)[];
}

const WIDTH = 240;
const HEIGHT = 56;
const MARGIN = 5;
/** A change of a few points does not fill the height. */
const MIN_SPAN = 0.2;

/** How shares went, as small lines on one axis. What they show stands beside them in figures. */
export function Sparkline({ lines }: { lines: readonly SparkLine[] }) {
  const { x, y } = scalesOf(lines);
  const words = lines.map(wordsOf).join('; ');
  return (
    <svg
      className={css.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={words === '' ? 'No completed run yet' : words}
    >
      {words !== '' && <title>{words}</title>}
      {lines.map((line) => (
        <g key={line.name} className={line.isMain ? css.main : css.other}>
          {line.isMain && <path className={css.band} d={bandOf(line, x, y)} />}
          <polyline className={css.line} points={drawn(line, ({ mean }, n) => `${x(n)},${y(mean)}`).join(' ')} />
          {drawn(line, ({ mean }, n) => <circle key={n} className={css.dot} cx={x(n)} cy={y(mean)} r="2.5" />).slice(
            -1,
          )}
        </g>
      ))}
    </svg>
  );
}

type Value = NonNullable<SparkLine['values'][number]>;
type Scale = (value: number) => number;

const drawn = <Drawn,>({ values }: SparkLine, draw: (value: Value, n: number) => Drawn): Drawn[] =>
  values.flatMap((value, n) => (value === null ? [] : [draw(value, n)]));

/** Round positions keep the page small. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

function scalesOf(lines: readonly SparkLine[]): { x: Scale; y: Scale } {
  const length = Math.max(2, ...lines.map(({ values }) => values.length));
  const means = lines
    .flatMap((line) => drawn(line, ({ mean, ci }) => (line.isMain && ci ? [mean, ...ci] : [mean])))
    .flat();
  const [low, high] = [Math.min(1, ...means), Math.max(0, ...means)];
  const missing = Math.max(0, MIN_SPAN - (high - low)) / 2;
  const [from, to] = [low - missing, high + missing];
  return {
    x: (n) => rounded(MARGIN + (n / (length - 1)) * (WIDTH - 2 * MARGIN)),
    y: (value) => rounded(HEIGHT - MARGIN - ((value - from) / (to - from)) * (HEIGHT - 2 * MARGIN)),
  };
}

function bandOf(line: SparkLine, x: Scale, y: Scale): string {
  const ends = drawn(line, ({ mean, ci }, n) => ({ n, low: ci?.[0] ?? mean, high: ci?.[1] ?? mean }));
  if (ends.length < 2) return '';
  const top = ends.map(({ n, high }) => `${x(n)},${y(high)}`);
  const bottom = ends.map(({ n, low }) => `${x(n)},${y(low)}`).reverse();
  return `M${[...top, ...bottom].join('L')}Z`;
}

/** "b: 77.0 % to 53.0 % in 12 runs" */
function wordsOf(line: SparkLine): string {
  const means = drawn(line, ({ mean }) => mean);
  if (means.length === 0) return `${line.name}: no score`;
  if (means.length === 1) return `${line.name}: ${percent(means[0]!)}`;
  return `${line.name}: ${percent(means[0]!)} to ${percent(means.at(-1)!)} in ${means.length} runs`;
}
