import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import type { FacetBin, RunFacets } from '#lib/contracts/run-facets';
import { Note } from '../../../../ui/hint';
import { Section } from '../../../../ui/query-boundary';
import { visible } from '../../../../ui/user-text';
import { latencyRange, latencyWords, scoreRange, scoreWords } from '../../../results/parts/bin-words';
import { countOf, verdictCounts } from '../../../results/parts/verdict-counts';
import { confusionQuery, facetsQuery } from '../../api';
import { latencyTicks, scoreTicks } from '../../parts/bin-ticks';
import { ConfusionTable } from '../../parts/confusion';
import { Counted } from '../../parts/counted';
import css from '../../parts/figures.module.css';
import { Histogram, WIDEST, type HistogramBin } from '../../parts/histogram';
import { ModelHistograms } from '../../parts/model-histograms';
import { ResultsLink } from '../../parts/run-link';

const CONFUSION_ROWS = 6;
const CONFUSION_TITLE = (
  <Note of="Expected and called tools">
    Scored results by expected and called tool. A case that accepts several tools counts in the row of each, and in the
    row of all of them.
  </Note>
);

/** Which tools were called where others were expected. Each number links to its results. */
export function RunConfusion({ run }: { run: Run }) {
  const search = useSearch({ from: '/signed-in/runs/$runId' });
  const { confusion: asked } = search;
  const model = run.targets.find(({ target }) => target === asked)?.target;
  const navigate = useNavigate();
  const choose = (target: string): void =>
    void navigate({
      to: '/runs/$runId',
      params: { runId: run.id },
      search: { ...search, confusion: target === '' ? undefined : target },
      replace: true,
      resetScroll: false,
    });
  const models = run.targets.length > 1 && (
    <select
      aria-label="Model of the table"
      className="bounded"
      value={model ?? ''}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">all models</option>
      {run.targets.map(({ target }) => (
        <option key={target} value={target}>
          {visible(target.slice(0, 300))}
        </option>
      ))}
    </select>
  );
  return (
    <Section id="confusion" title={CONFUSION_TITLE} action={models}>
      <Counted run={run} query={confusionQuery(run.id, model)} rows={CONFUSION_ROWS}>
        {(confusion) =>
          confusion.expected.length === 0 ? (
            <p className="muted">No result has a score.</p>
          ) : (
            <>
              <ConfusionTable
                confusion={confusion}
                link={({ expected, called }, label, n) => (
                  <ResultsLink
                    runId={run.id}
                    search={{ ...(model !== undefined && { model: [model] }), tool: [expected], called: [called] }}
                    label={label}
                    isInGrid
                  >
                    {n}
                  </ResultsLink>
                )}
              />
            </>
          )
        }
      </Counted>
    </Section>
  );
}

const HISTOGRAM_ROWS = 8;

/** Latencies and scores of replies. Each bar links to its results. */
export function RunHistograms({ run }: { run: Run }) {
  return (
    <Section id="histograms" title="Latencies and scores">
      <Counted run={run} query={facetsQuery(run.id)} rows={HISTOGRAM_ROWS}>
        {(facets) => <Histograms runId={run.id} facets={facets} />}
      </Counted>
    </Section>
  );
}

const MAX_TICKS = 6;
const TICK_PX = 72;

/** Few bins have room for few words. */
const mostTicks = (bins: number): number => Math.max(1, Math.min(MAX_TICKS, Math.floor((bins * WIDEST) / TICK_PX)));

function Histograms({ runId, facets }: { runId: string; facets: RunFacets }) {
  const latencies = withoutEmptyEnds(facets.latency_ms);
  const ticks = { latency: latencyTicks(latencies, mostTicks(latencies.length)), score: scoreTicks };
  const linkBy = (key: 'latency' | 'score') => (bin: HistogramBin, label: string, bar: ReactNode) => (
    <ResultsLink runId={runId} search={{ [key]: bin.key }} label={label}>
      {bar}
    </ResultsLink>
  );
  return (
    <>
      <div className={css.row}>
        {latencies.length > 0 ? (
          <Histogram
            label="Results by latency"
            bins={latencies.map((bin) => binOf(bin, latencyRange, latencyWords))}
            ticks={ticks.latency}
            link={linkBy('latency')}
          />
        ) : (
          <p className="muted">No latency was measured: all replies were stored ones, or there were none.</p>
        )}
        <Histogram
          label="Results by score"
          bins={facets.overall.map((bin) => binOf(bin, scoreRange, scoreWords))}
          ticks={ticks.score}
          link={linkBy('score')}
        />
      </div>
      <ModelHistograms runId={runId} facets={facets} latencies={latencies} ticks={ticks} />
    </>
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
