import { scoreText } from '../../../../ui/amounts';
import { IntervalBar } from '../../../../ui/figures/intervals';
import { MarkCard, Plot, useMarks } from '../../../../ui/figures/picture';
import { UserLine } from '../../../../ui/user-text';
import { settingName } from '../../../runs/parts/setting-words';
import { ArmCard, cellWords } from './arm-card';
import type { SpaceProps } from './space';
import css from './space.module.css';

/** Scores by a parameter whose values are words: a row for each value, in the order given. */
export function SpaceRows({ cells, across, open }: SpaceProps) {
  const { shown, propsOf, plotProps } = useMarks({
    count: cells.length,
    open: (index) => cells[index]!.best && open(cells[index]!.best),
  });
  return (
    <Plot of={{ plotProps }}>
      <div className={css.values}>
        {cells.map((cell, index) => {
          const { words } = across.steps[index]!;
          const { best, isPartial, isRecommended, hasBase } = cell;
          return (
            <div
              key={index}
              className={`${css.value}${isRecommended ? ` ${css.recommended}` : ''}`}
              {...propsOf(index, cellWords(cell, `${settingName(across.parameter)} ${words}`))}
            >
              <UserLine text={words} />
              {best?.mean == null ? (
                <span className={css.partial} />
              ) : (
                <IntervalBar mean={best.mean} interval={best.ci ?? [best.mean, best.mean]} isHollow={isPartial} />
              )}
              <span className="muted">
                {best?.mean == null ? 'not measured' : scoreText({ mean: best.mean, ci: best.ci, scored: best.cases })}
                {isRecommended && ', recommended'}
                {hasBase && ', base'}
              </span>
            </div>
          );
        })}
      </div>
      {shown !== undefined && (
        <MarkCard at={[0.5, (shown + 0.5) / cells.length]}>
          <ArmCard cell={cells[shown]!} />
        </MarkCard>
      )}
    </Plot>
  );
}
