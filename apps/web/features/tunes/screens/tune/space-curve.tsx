import { percent } from '../../../../ui/amounts';
import { MarkCard, Plot, useMarks } from '../../../../ui/figures/picture';
import { linearScale, logScale } from '../../../../ui/figures/scales';
import { settingName } from '../../../runs/parts/setting-words';
import { ArmCard, cellWords } from './arm-card';
import type { Axis, Cell, SpaceProps } from './space';
import css from './space.module.css';

const HEIGHT = 240;
/** Room for what is written above and below the points. */
const MARGIN = 24;
/** So that the dots at the ends are whole, in percent of the width. */
const SIDE = 5;
/** Between unset and the first number, in percent of the width. */
const UNSET_WIDTH = 12;
/** More values than these are labelled by round numbers. */
const MAX_LABELS = 9;

/** Scores by a numeric parameter, with their 95 % intervals. */
export function SpaceCurve({ cells, across, open }: SpaceProps) {
  const { shown, propsOf, plotProps } = useMarks({
    count: cells.length,
    open: (index) => cells[index]!.best && open(cells[index]!.best),
  });
  const { x, y, xTicks, yTicks } = scalesOf(cells, across);
  const xOf = (index: number): number => x(across.steps[index]!.value);
  const line = cells.flatMap(({ best, isPartial }, n) =>
    best?.mean == null || isPartial || across.steps[n]!.value === undefined ? [] : [n],
  );
  return (
    <div className={css.curve}>
      <div className={css.name}>Score</div>
      <Plot of={{ plotProps }}>
        <svg width="100%" height={HEIGHT + 24} role="group" aria-label={settingName(across.parameter)}>
          <Grid {...{ xTicks, yTicks, x, y }} />
          {line.slice(1).map((n, previous) => (
            <line
              key={n}
              className={css.line}
              x1={`${xOf(line[previous]!)}%`}
              x2={`${xOf(n)}%`}
              y1={y(cells[line[previous]!]!.best!.mean!)}
              y2={y(cells[n]!.best!.mean!)}
            />
          ))}
          {cells.map((cell, index) => (
            <g
              key={index}
              className={css.point}
              {...propsOf(index, cellWords(cell, `${settingName(across.parameter)} ${across.steps[index]!.words}`))}
            >
              <Point cell={cell} x={xOf(index)} y={y} />
            </g>
          ))}
        </svg>
        {shown !== undefined && (
          <MarkCard at={[xOf(shown) / 100, y(cells[shown]!.best?.mean ?? 0) / (HEIGHT + 24)]}>
            <ArmCard cell={cells[shown]!} />
          </MarkCard>
        )}
      </Plot>
      <div className={`${css.name} ${css.across}`}>
        {settingName(across.parameter)}
        {across.isLog && ', logarithmic'}
      </div>
    </div>
  );
}

interface Scales {
  /** In percent of the width. Unset lies before all numbers. */
  x: (value: number | undefined) => number;
  /** In pixels. */
  y: (score: number) => number;
  xTicks: readonly { at: number; words: string }[];
  yTicks: readonly number[];
}

function scalesOf(cells: readonly Cell[], { steps, isLog }: Axis): Scales {
  const values = steps.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const inside = isLog ? logScale(values) : linearScale(values);
  const start = values.length < steps.length ? SIDE + UNSET_WIDTH : SIDE;
  const x: Scales['x'] = (value) => (value === undefined ? SIDE : start + inside.at(value) * (100 - SIDE - start));
  const ends = cells.flatMap(({ best }) => (best?.mean == null ? [] : [best.mean, ...(best.ci ?? [])]));
  const scores = linearScale(ends.length === 0 ? [0, 1] : ends, 5);
  return {
    x,
    y: (score) => MARGIN + (1 - scores.at(score)) * (HEIGHT - 2 * MARGIN),
    xTicks:
      steps.length <= MAX_LABELS
        ? steps.map(({ words, value }) => ({ at: x(value), words }))
        : [
            ...(start > SIDE ? [{ at: SIDE, words: 'unset' }] : []),
            ...inside.ticks.map((tick) => ({ at: x(tick), words: String(tick) })),
          ],
    yTicks: scores.ticks,
  };
}

const Grid = ({ xTicks, yTicks, y }: Scales) => (
  <g aria-hidden="true">
    {yTicks.map((tick) => (
      <g key={tick} className={css.tick}>
        <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
        <text x="0" y={y(tick) - 4}>
          {percent(tick).replace('.0', '')}
        </text>
      </g>
    ))}
    {xTicks.map(({ at, words }) => (
      <text key={words} className={css.label} x={`${at}%`} y={HEIGHT + 14} textAnchor="middle">
        {words}
      </text>
    ))}
  </g>
);

function Point({
  cell: { best, isPartial, isRecommended, hasBase },
  x,
  y,
}: { cell: Cell; x: number } & Pick<Scales, 'y'>) {
  const at = `${x}%`;
  const hit = <rect className={css.hit} x={at} y="0" width="24" height={HEIGHT} transform="translate(-12 0)" />;
  if (best?.mean == null)
    return (
      <>
        {hit}
        <text className={css.label} x={at} y={HEIGHT - 4} textAnchor="middle">
          –
        </text>
      </>
    );
  const { mean, ci } = best;
  const [low, high] = ci ?? [mean, mean];
  return (
    <>
      {hit}
      <line className={css.bar} x1={at} x2={at} y1={y(low)} y2={y(high)} />
      {isRecommended && <circle className={css.ring} cx={at} cy={y(mean)} r="10" />}
      <circle className={isPartial ? css.hollow : css.dot} cx={at} cy={y(mean)} r="5" />
      {isRecommended && (
        <text className={css.strong} x={at} y={y(high) - 6} textAnchor="middle">
          recommended
        </text>
      )}
      {hasBase && (
        <text className={css.label} x={at} y={y(low) + 14} textAnchor="middle">
          base
        </text>
      )}
    </>
  );
}
