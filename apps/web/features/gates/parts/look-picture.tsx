import { useState } from 'react';
import type { GateAnswer, GateRun } from '#lib/gate/contract';
import { deltaText } from '../../../ui/figures/delta';
import { MarkCard, Picture, Plot, useMarks } from '../../../ui/figures/picture';
import { linearScale } from '../../../ui/figures/scales';
import { Note } from '../../../ui/hint';
import { isUnderWay } from '../../../ui/status';
import { visible } from '../../../ui/user-text';
import { useModelLabel } from '../../providers/parts/model-name';
import { GateResult, resultWord } from './gate-result';
import { levelText, pointsText } from './gate-words';
import css from './gates.module.css';
import { byGravity, looksAt, type LookValue } from './look-values';

/** How the difference of a model went from look to look, against the margin. */
export function Looks({ run, answer }: { run: GateRun; answer: GateAnswer }) {
  const labelOf = useModelLabel();
  const ordered = answer.targets.toSorted(byGravity);
  const [chosen, choose] = useState<string>();
  const target = chosen ?? ordered[0]?.target;
  const values = target === undefined ? undefined : looksAt(target, run.looks);
  if (values === undefined || !values.some(({ difference }) => difference !== null)) return null;
  const { look, gate } = answer;
  return (
    <section aria-labelledby="looks">
      <div className="actions">
        <h3 id="looks">Looks</h3>
        {ordered.length > 1 && (
          <select aria-label="Model" value={target} onChange={({ target: { value } }) => choose(value)}>
            {ordered.map((one) => (
              <option key={one.target} value={one.target}>
                {visible(labelOf(one.target).slice(0, 100))}
              </option>
            ))}
          </select>
        )}
      </div>
      <Picture
        label="Difference from the baseline at each look"
        read={
          <Note of="How to read this">
            Bars are {levelText(look)} intervals. A model passes when its bar lies above the dashed margin, and fails
            when it lies below zero.
          </Note>
        }
        numbers={{
          head: ['Look', 'Samples of each case', 'Points', 'Result'],
          rows: () =>
            values.map(({ look: n, samples, difference, ci, result }) => ({
              key: String(n),
              cells: [
                n,
                samples,
                difference === null ? '–' : deltaText({ difference, interval: ci }),
                <GateResult key="result" result={result} />,
              ],
            })),
        }}
      >
        <LookPlot {...{ values, planned: look.planned, margin: gate.margin }} isGoing={isUnderWay(run.status)} />
      </Picture>
    </section>
  );
}

interface PlotProps {
  values: readonly LookValue[];
  planned: number;
  margin: number;
  /** Whether more looks may come. */
  isGoing: boolean;
}

const HEIGHT = 200;
const MARGIN = 16;
const FOOT = 36;
/** The labels of the scale, in percent of the width. */
const LEFT = 12;

function LookPlot({ values, planned, margin, isGoing }: PlotProps) {
  const { shown, propsOf, plotProps } = useMarks({ count: values.length });
  const columns = Math.max(planned, values.length);
  const ends = values.flatMap(({ difference, ci }) => (difference === null ? [] : [difference, ...(ci ?? [])]));
  const scale = linearScale([...ends, -margin * 1.5, 0], 5);
  const y = (share: number): number => MARGIN + (1 - scale.at(share)) * (HEIGHT - 2 * MARGIN);
  const x = (n: number): number => LEFT + ((n - 0.5) / columns) * (100 - LEFT);
  return (
    <div className={css.looks}>
      <Plot of={{ plotProps }}>
        <svg width="100%" height={HEIGHT + FOOT} role="group" aria-label="Looks">
          <LookGrid {...{ ticks: scale.ticks, margin, y }} />
          {Array.from({ length: columns - values.length }, (_, n) => (
            <Planned key={n} x={x(values.length + n + 1)} n={values.length + n + 1} isGoing={isGoing} />
          ))}
          {values.map((value, index) => (
            <g key={value.look} {...propsOf(index, wordsOf(value))}>
              <Look value={value} x={x(index + 1)} y={y} />
            </g>
          ))}
        </svg>
        {shown !== undefined && (
          <MarkCard at={[x(shown + 1) / 100, y(values[shown]!.difference ?? 0) / (HEIGHT + FOOT)]}>
            {wordsOf(values[shown]!)}
          </MarkCard>
        )}
      </Plot>
    </div>
  );
}

const samplesText = (samples: number): string => {
  const rounded = Number(samples.toFixed(1));
  return `${rounded} ${rounded === 1 ? 'sample' : 'samples'}`;
};

const wordsOf = ({ look, samples, difference, ci, result }: LookValue): string =>
  `Look ${look}, ${samplesText(samples)} of each case: ${
    difference === null ? 'no difference' : deltaText({ difference, interval: ci })
  }, ${resultWord(result)}`;

interface GridProps {
  ticks: readonly number[];
  margin: number;
  y: (share: number) => number;
}

const LookGrid = ({ ticks, margin, y }: GridProps) => {
  const signed = (share: number): string => `${share > 0 ? '+' : ''}${Number((share * 100).toFixed(1))}`;
  // Where the margin is written, no tick is.
  const isFree = (tick: number): boolean => margin === 0 || Math.abs(y(tick) - y(-margin)) > 14;
  return (
    <g aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line className={tick === 0 ? css.zero : css.grid} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
          {isFree(tick) && (
            <text x="0" y={y(tick) - 4}>
              {tick === 0 ? 'same' : signed(tick)}
            </text>
          )}
        </g>
      ))}
      {margin > 0 && (
        <>
          <line className={css.margin} x1="0" x2="100%" y1={y(-margin)} y2={y(-margin)} />
          <text className={css.strong} x="0" y={y(-margin) - 4}>
            margin −{pointsText(margin).replace(/ points?$/, '')}
          </text>
        </>
      )}
    </g>
  );
};

function Look({
  value: { look, samples, difference, ci, result },
  x,
  y,
}: { value: LookValue; x: number } & Pick<GridProps, 'y'>) {
  const at = `${x}%`;
  const [low, high] = ci ?? [difference ?? 0, difference ?? 0];
  return (
    <>
      <rect className={css.hit} x={at} y="0" width="64" height={HEIGHT + FOOT} transform="translate(-32 0)" />
      {difference !== null && (
        <>
          <line className={css.bar} x1={at} x2={at} y1={y(low)} y2={y(high)} />
          <circle
            className={result === 'pass' || result === 'fail' ? css.dot : css.hollow}
            cx={at}
            cy={y(difference)}
            r="6"
          />
          <text className={css.word} x={at} y={y(difference) + 4} textAnchor="start" transform="translate(12 0)">
            {resultWord(result)}
          </text>
        </>
      )}
      <LookLabel x={at} n={look} words={samplesText(samples)} />
    </>
  );
}

const LookLabel = ({ x, n, words }: { x: string; n: number; words: string }) => (
  <>
    <text x={x} y={HEIGHT + 12} textAnchor="middle" className={css.strong}>
      look {n}
    </text>
    <text x={x} y={HEIGHT + 28} textAnchor="middle">
      {words}
    </text>
  </>
);

/** A look that was planned and not taken, or not yet. */
const Planned = ({ x, n, isGoing }: { x: number; n: number; isGoing: boolean }) => (
  <g aria-hidden="true">
    <rect
      className={css.planned}
      x={`${x}%`}
      y={MARGIN}
      width="24"
      height={HEIGHT - 2 * MARGIN}
      rx="4"
      transform="translate(-12 0)"
    />
    <LookLabel x={`${x}%`} n={n} words={isGoing ? 'to come' : 'not taken'} />
  </g>
);
