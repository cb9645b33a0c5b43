import { useNavigate } from '@tanstack/react-router';
import type { FacetBin, RunFacets } from '#lib/contracts/run-facets';
import { useFirst } from '../../../ui/figures/first-of';
import { MarkCard, Plot, useMarks } from '../../../ui/figures/picture';
import { Note } from '../../../ui/hint';
import { ModelName, useShortNames } from '../../providers/parts/model-name';
import { latencyRange, latencyWords, scoreRange, scoreWords } from '../../results/parts/bin-words';
import { countOf, verdictCounts } from '../../results/parts/verdict-counts';
import { quantileOf, type BinTick } from './bin-ticks';
import { binText, WIDEST, type HistogramBin } from './histogram';
import css from './model-histograms.module.css';

interface Props {
  runId: string;
  facets: RunFacets;
  /** The bins that have results. */
  latencies: readonly FacetBin[];
  ticks: { latency: readonly BinTick[]; score: readonly BinTick[] };
}

/** Models that are shown before more are asked for. */
const SHOWN = 12;

/** Latencies and scores of each model, on the same axes. Each bar leads to its results. */
export function ModelHistograms({ runId, facets, latencies, ticks }: Props) {
  const names = useShortNames(facets.targets);
  const { shown, more } = useFirst(facets.targets, SHOWN, 'models');
  if (facets.targets.length < 2) return null;
  return (
    <figure className={css.models} aria-label="Latencies and scores by model">
      <div className={`${css.row} muted small`}>
        <span>
          <Note of="By model">
            Bars are results, each model to its own scale: filled ones passed. The line below them reaches from the
            fastest 5 % to the slowest 5 %, its dot is the median.
          </Note>
        </span>
        <Ticks ticks={ticks.latency} bins={latencies.length} />
        <Ticks ticks={ticks.score} bins={facets.overall.length} />
      </div>
      {shown.map((target, ordinal) => (
        <div key={target} className={css.row}>
          <ModelName target={target} of={names} />
          <Bars
            of={`latency of ${names.of(target)}`}
            bins={latencies.map((bin) => binOf(bin, ordinal, latencyRange, latencyWords))}
            search={(range) => ({ model: [target], latency: range })}
            runId={runId}
            hasLine
          />
          <Bars
            of={`score of ${names.of(target)}`}
            bins={facets.overall.map((bin) => binOf(bin, ordinal, scoreRange, scoreWords))}
            search={(range) => ({ model: [target], score: range })}
            runId={runId}
          />
        </div>
      ))}
      {more}
    </figure>
  );
}

const binOf = (
  bin: FacetBin,
  model: number,
  range: (bin: FacetBin) => string,
  words: (bin: FacetBin) => string,
): HistogramBin => ({
  key: range(bin),
  words: words(bin),
  ...verdictCounts(bin.by_target, (ordinal) => ordinal === model),
});

const HEIGHT = 32;
/** Below the bars. */
const LINE_HEIGHT = 8;
const LEAST = 2;
const GAP_PERCENT = 0.4;

const Ticks = ({ ticks, bins }: { ticks: readonly BinTick[]; bins: number }) => (
  <svg className={css.bars} style={{ maxWidth: bins * WIDEST }} height="16" aria-hidden="true">
    {ticks.map(({ at, words }) => (
      <text
        key={at}
        x={`${(at / bins) * 100}%`}
        y="12"
        textAnchor={at === 0 ? 'start' : at > bins - 1 ? 'end' : 'middle'}
      >
        {words}
      </text>
    ))}
  </svg>
);

interface BarsProps {
  of: string;
  bins: readonly HistogramBin[];
  runId: string;
  search: (range: string) => { model: string[]; latency?: string; score?: string };
  hasLine?: boolean;
}

function Bars({ of, bins, runId, search, hasLine = false }: BarsProps) {
  const navigate = useNavigate();
  const filled = [...bins.entries()].filter(([, bin]) => countOf(bin) > 0);
  const open = (index: number): void =>
    void navigate({ to: '/runs/$runId/results', params: { runId }, search: search(filled[index]![1].key) });
  const { propsOf, plotProps, shown } = useMarks({ count: filled.length, open });
  const most = Math.max(1, ...bins.map((bin) => countOf(bin)));
  const width = 100 / bins.length;
  const active = shown === undefined ? undefined : filled[shown];
  return (
    <Plot of={{ plotProps }}>
      <svg
        className={css.bars}
        style={{ maxWidth: bins.length * WIDEST }}
        height={HEIGHT + LINE_HEIGHT}
        role="group"
        aria-label={of}
      >
        {filled.map(([place, bin], index) => (
          <g key={bin.key} {...propsOf(index, binText(bin))}>
            <rect className={css.reach} x={`${place * width}%`} width={`${width}%`} y="0" height={HEIGHT} />
            <Stack bin={bin} most={most} x={place * width} width={width} />
          </g>
        ))}
        {hasLine && <Quantiles counts={bins.map((bin) => countOf(bin))} />}
      </svg>
      {active && <MarkCard at={[(active[0] + 0.5) / bins.length, 0.4]}>{binText(active[1])}</MarkCard>}
    </Plot>
  );
}

function Stack({ bin, most, x, width }: { bin: HistogramBin; most: number; x: number; width: number }) {
  let top = HEIGHT;
  return (['passed', 'failed', 'errored'] as const).map((kind) => {
    if (bin[kind] === 0) return null;
    const height = Math.max(LEAST, (bin[kind] / most) * (HEIGHT - 2 * LEAST));
    top -= height;
    return (
      <rect
        key={kind}
        className={LOOKS[kind]}
        x={`${x + GAP_PERCENT / 2}%`}
        width={`${width - GAP_PERCENT}%`}
        y={top}
        height={height}
      />
    );
  });
}

const LOOKS = { passed: css.passed, failed: css.failed, errored: css.errored };

function Quantiles({ counts }: { counts: readonly number[] }) {
  const [low, middle, high] = [0.05, 0.5, 0.95].map((share) => quantileOf(counts, share));
  if (low === undefined || middle === undefined || high === undefined) return null;
  const x = (at: number): string => `${(at / counts.length) * 100}%`;
  const y = HEIGHT + LINE_HEIGHT / 2;
  return (
    <g aria-hidden="true">
      <line className={css.line} x1={x(low)} x2={x(high)} y1={y} y2={y} />
      <circle className={css.median} cx={x(middle)} cy={y} r="3" />
    </g>
  );
}
