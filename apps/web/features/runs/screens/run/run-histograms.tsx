import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import type { FacetBin, RunFacets } from '#lib/contracts/run-facets';
import { Section } from '../../../../ui/query-boundary';
import { duration } from '../../../../ui/time';
import { latencyRange, latencyWords, scoreRange, scoreWords } from '../../../results/parts/bin-words';
import { countOf, verdictCounts } from '../../../results/parts/verdict-counts';
import { facetsQuery } from '../../api';
import { Counted } from '../../parts/counted';
import css from '../../parts/figures.module.css';
import { Histogram, type HistogramBin } from '../../parts/histogram';
import { ResultsLink } from '../../parts/run-link';

const ROWS = 8;

/** Latencies and scores of replies. Each bar links to its results. */
export function RunHistograms({ run }: { run: Run }) {
  return (
    <Section id="histograms" title="Latencies and scores">
      <Counted run={run} query={facetsQuery(run.id)} rows={ROWS}>
        {(facets) => <Histograms runId={run.id} facets={facets} />}
      </Counted>
    </Section>
  );
}

function Histograms({ runId, facets }: { runId: string; facets: RunFacets }) {
  const latencies = withoutEmptyEnds(facets.latency_ms);
  const [first, last] = [latencies[0], latencies.at(-1)];
  const linkBy = (key: 'latency' | 'score') => (bin: HistogramBin, label: string, bar: ReactNode) => (
    <ResultsLink runId={runId} search={{ [key]: bin.key }} label={label}>
      {bar}
    </ResultsLink>
  );
  return (
    <div className={css.row}>
      {first && last ? (
        <Histogram
          label="Results by latency"
          bins={latencies.map((bin) => binOf(bin, latencyRange, latencyWords))}
          ends={[duration(first.from), duration(last.to)]}
          link={linkBy('latency')}
        />
      ) : (
        <p className="muted">No latency was measured: all replies were stored ones, or there were none.</p>
      )}
      <Histogram
        label="Results by score"
        bins={facets.overall.map((bin) => binOf(bin, scoreRange, scoreWords))}
        ends={['0 %', '100 %']}
        link={linkBy('score')}
      />
    </div>
  );
}

const binOf = (bin: FacetBin, range: (bin: FacetBin) => string, words: (bin: FacetBin) => string): HistogramBin => ({
  key: range(bin),
  words: words(bin),
  ...verdictCounts(bin.by_target),
});

function withoutEmptyEnds(bins: readonly FacetBin[]): FacetBin[] {
  const has = ({ by_target: by }: FacetBin): boolean => countOf(verdictCounts(by)) > 0;
  const first = bins.findIndex(has);
  return first < 0 ? [] : bins.slice(first, bins.findLastIndex(has) + 1);
}
