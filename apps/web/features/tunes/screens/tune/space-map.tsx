import type { CSSProperties } from 'react';
import { percent } from '../../../../ui/amounts';
import { MarkCard, Plot, useMarks } from '../../../../ui/figures/picture';
import { UserLine } from '../../../../ui/user-text';
import { settingName } from '../../../runs/parts/setting-words';
import { ArmCard, cellWords } from './arm-card';
import type { Axis, Cell, SpaceProps } from './space';
import css from './space.module.css';

/** Scores by two parameters: a place for each pair of values, darker where the score is higher. */
export function SpaceMap({ cells, across, down, span, open }: SpaceProps & { down: Axis }) {
  const columns = across.steps.length;
  const rows = down.steps.length;
  const { shown, propsOf, plotProps } = useMarks({
    count: cells.length,
    open: (index) => cells[index]!.best && open(cells[index]!.best),
    move: (index, key) => moved(index, key, columns, cells.length),
  });
  const place = (index: number): string =>
    `${settingName(across.parameter)} ${across.steps[index % columns]!.words}, ` +
    `${settingName(down.parameter).toLowerCase()} ${down.steps[Math.floor(index / columns)]!.words}`;
  return (
    <div className={css.map} style={{ '--columns': columns, '--rows': rows } as CSSProperties}>
      <div className={`${css.name} ${css.down}`}>{settingName(down.parameter)}</div>
      <div className={css.rows}>
        {down.steps.map(({ words }, n) => (
          <UserLine key={n} text={words} />
        ))}
      </div>
      <Plot of={{ plotProps }}>
        <div className={css.cells}>
          {cells.map((cell, index) => (
            <div
              key={index}
              {...propsOf(index, `${shownIn(cell)}: ${cellWords(cell, place(index))}`)}
              className={classOf(cell)}
              style={{ '--tint': tintOf(cell, span) } as CSSProperties}
            >
              <CellText cell={cell} />
            </div>
          ))}
        </div>
        {shown !== undefined && (
          <MarkCard at={[((shown % columns) + 0.5) / columns, (Math.floor(shown / columns) + 0.5) / rows]}>
            <ArmCard cell={cells[shown]!} />
          </MarkCard>
        )}
      </Plot>
      <div className={css.columns}>
        {across.steps.map(({ words }, n) => (
          <UserLine key={n} text={words} />
        ))}
      </div>
      <div className={`${css.name} ${css.across}`}>{settingName(across.parameter)}</div>
      <TintScale span={span} />
    </div>
  );
}

/** Keeps within a row from left to right, and within a column from top to bottom. */
function moved(index: number, key: string, columns: number, all: number): number {
  const column = index % columns;
  if (key === 'ArrowRight') return column === columns - 1 ? index : index + 1;
  if (key === 'ArrowLeft') return column === 0 ? index : index - 1;
  const next = index + (key === 'ArrowDown' ? columns : -columns);
  return next < 0 || next >= all ? index : next;
}

const classOf = ({ best, isPartial, isRecommended }: Cell): string =>
  [css.cell, (best?.mean == null || isPartial) && css.partial, isRecommended ? css.recommended : best?.tied && css.tied]
    .filter(Boolean)
    .join(' ');

/** The share of the accent: 0 at the lowest score. */
const tintOf = ({ best }: Cell, [low, high]: readonly [number, number]): string =>
  `${best?.mean == null ? 0 : Math.round(4 + ((best.mean - low) / (high - low)) * 46)}%`;

const scoreIn = ({ best }: Cell): string => (best?.mean == null ? '–' : String(Math.round(best.mean * 100)));

/** What can be read in a cell, with which its name begins, so that people who speak to the page can say it. */
const shownIn = (cell: Cell): string => scoreIn(cell) + (cell.hasBase ? ' base' : '');

const CellText = ({ cell }: { cell: Cell }) => (
  <>
    {scoreIn(cell)}
    {cell.hasBase && <span className={css.base}> base</span>}
  </>
);

const TintScale = ({ span: [low, high] }: Pick<SpaceProps, 'span'>) => (
  <div className={css.scale} aria-hidden="true">
    {percent(low)} <span className={css.tints} /> {percent(high)}, better
  </div>
);
