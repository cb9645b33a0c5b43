import { useId, type ReactNode } from 'react';
import { Numbers } from '../../../ui/figures/numbers';
import { count } from '../../../ui/amounts';
import { countOf, type VerdictCounts } from '../../results/parts/verdict-counts';
import type { BinTick } from './bin-ticks';
import css from './figures.module.css';

export interface HistogramBin extends VerdictCounts {
  key: string;
  /** The range in words: "0.5 s to 1 s". */
  words: string;
}

interface HistogramProps {
  /** What is counted, such as "Results by latency". */
  label: string;
  bins: readonly HistogramBin[];
  /** Labels below the bars. */
  ticks: readonly BinTick[];
  /** Links a bar to the results behind it. */
  link: (bin: HistogramBin, label: string, bar: ReactNode) => ReactNode;
}

/** "40 results from 0.5 s to 1 s: 30 passed, 8 did not, 2 errored" */
export function binText(bin: HistogramBin): string {
  const { passed, failed, errored, words } = bin;
  const all = countOf(bin);
  const parts = [
    `${count(passed)} passed`,
    `${count(failed)} did not`,
    ...(errored ? [`${count(errored)} errored`] : []),
  ];
  return `${count(all)} ${all === 1 ? 'result' : 'results'}, ${words}: ${parts.join(', ')}`;
}

/** "60 results; most of them, 40, are 0.5 s to 1 s." */
export function histogramText(bins: readonly HistogramBin[]): string {
  const all = bins.reduce((sum, bin) => sum + countOf(bin), 0);
  const top = bins.toSorted((one, other) => countOf(other) - countOf(one))[0];
  if (!top || all === 0) return 'No result has a value.';
  const [isAll, isMost] = [countOf(top) === all, countOf(top) * 2 > all];
  if (isAll) return `${count(all)} ${all === 1 ? 'result' : 'results'}: ${top.words}.`;
  const largest = isMost ? 'most of them' : 'the largest group';
  return `${count(all)} results; ${largest}, ${count(countOf(top))}: ${top.words}.`;
}

/** Of a bar, in pixels. */
export const WIDEST = 48;

/** Results in bins, as bars: passed results are filled, those that did not pass are hollow. */
export function Histogram({ label, bins, ticks, link }: HistogramProps) {
  const id = useId();
  const most = Math.max(1, ...bins.map((bin) => countOf(bin)));
  return (
    <figure className={css.histogram} aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{label}.</strong> {histogramText(bins)}
      </figcaption>
      <div className="wide">
        <div className={css.bins} style={{ gridTemplateColumns: `repeat(${bins.length}, minmax(24px, ${WIDEST}px))` }}>
          {bins.map((bin) => {
            const bar = <Bar bin={bin} most={most} />;
            if (countOf(bin) === 0) return <div key={bin.key} />;
            return <div key={bin.key}>{link(bin, binText(bin), bar)}</div>;
          })}
        </div>
        <svg className={css.ticks} style={{ maxWidth: bins.length * WIDEST }} aria-hidden="true">
          {ticks.map(({ at, words }) => (
            <text
              key={at}
              x={`${(at / bins.length) * 100}%`}
              y="14"
              textAnchor={at === 0 ? 'start' : at > bins.length - 1 ? 'end' : 'middle'}
            >
              {words}
            </text>
          ))}
        </svg>
      </div>
      <Numbers
        label={`${label}, in numbers`}
        head={['Range', 'Passed', 'Not passed', 'Errored']}
        rows={bins.map(({ key, words, passed, failed, errored }) => ({
          key,
          cells: [words, count(passed), count(failed), count(errored)],
        }))}
      />
    </figure>
  );
}

const BAR_PERCENT = 80;
/** "1.2K": a number that fits its bar. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });

function Bar({ bin, most }: { bin: HistogramBin; most: number }) {
  const height = (n: number) => ({ height: `${(n / most) * BAR_PERCENT}%` });
  return (
    <>
      <span className="small">{SHORT.format(countOf(bin))}</span>
      {bin.errored > 0 && <span className={`${css.part} ${css.errored}`} style={height(bin.errored)} />}
      {bin.failed > 0 && <span className={`${css.part} ${css.failed}`} style={height(bin.failed)} />}
      {bin.passed > 0 && <span className={`${css.part} ${css.passed}`} style={height(bin.passed)} />}
    </>
  );
}
