import { useQuery } from '@tanstack/react-query';
import type { Ranking } from '#lib/contracts/ranking';
import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { cacheHitsOf } from '#lib/contracts/token-counts';
import { type IntervalRow, Intervals } from '../../../../ui/figures/intervals';
import { count, Money, percent, Score } from '../../../../ui/amounts';
import { isUnderWay } from '../../../../ui/status';
import { Table } from '../../../../ui/table';
import { duration } from '../../../../ui/time';
import { UserText, UserLine } from '../../../../ui/user-text';
import { rankingQuery } from '../../api';
import { ResultsLink } from '../../parts/run-link';
import { shownInterval } from '../../parts/run-score';
import css from './run.module.css';

/** Which model is better, and whether the difference can be trusted. */
export function RunModels({ run }: { run: Run }) {
  const summaries = run.summaries.toSorted((one, other) => (other.overall ?? -1) - (one.overall ?? -1));
  const ranking = useQuery({
    ...rankingQuery(run.id),
    enabled: summaries.length > 1 && !isUnderWay(run.status),
  });
  if (summaries.length === 0)
    return <p className="muted">The figures of a model appear when all its results are in.</p>;
  const scored = summaries.filter(({ overall }) => overall !== null);
  return (
    <section aria-labelledby="models" className="section">
      <h2 id="models">Models</h2>
      {ranking.data?.text != null && (
        <p className="sentence">
          <UserText text={ranking.data.text} />
        </p>
      )}
      {scored.length > 0 && (
        <Intervals
          label="Mean score of each model with its 95 % interval"
          rows={scored.map((summary) => rowOf(run.id, summary, ranking.data))}
        />
      )}
      <ModelTable runId={run.id} summaries={summaries} />
    </section>
  );
}

function rowOf(runId: string, summary: Summary, ranking: Ranking | undefined): IntervalRow {
  const { target, overall, scored, errored } = summary;
  const { interval: shown, isAlike } = shownInterval(summary);
  const rank = ranking?.items.find((item) => item.target === target)?.rank;
  return {
    key: target,
    label: (
      <ResultsLink runId={runId} search={{ model: [target] }}>
        <UserLine text={target} />
      </ResultsLink>
    ),
    mean: overall!,
    interval: shown ?? [overall!, overall!],
    isHollow: isAlike,
    text: (
      <>
        {rank && <span className="muted small">rank {rank[0] === rank[1] ? rank[0] : rank.join('-')} </span>}
        <Score mean={overall} ci={shown} scored={scored} errored={errored} />
        {isAlike && ' all equal'}
      </>
    ),
  };
}

const share = (value: number | null): string => (value === null ? '' : percent(value));
const latency = (ms: number | null): string => (ms === null ? '' : duration(ms));

function ModelTable({ runId, summaries }: { runId: string; summaries: Summary[] }) {
  const hasHits = summaries.some((summary) => (cacheHitsOf(summary) ?? 0) > 0);
  const hits = { name: 'Cache hits', isNumber: true, cell: (summary: Summary) => share(cacheHitsOf(summary)) };
  return (
    <Table
      label="Figures of each model"
      className={css.models}
      rows={summaries}
      keyOf={({ target }) => target}
      columns={[
        { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <UserLine text={target} /> },
        {
          name: 'Score',
          cell: ({ overall, overall_ci: ci, scored }) => <Score mean={overall} ci={ci} scored={scored} errored={0} />,
        },
        { name: 'Cases', isNumber: true, cell: ({ cases }) => count(cases) },
        { name: 'Tool', isNumber: true, cell: (summary) => share(summary.tool_accuracy) },
        { name: 'Arguments', isNumber: true, cell: (summary) => share(summary.param_accuracy) },
        {
          name: 'Passed',
          isNumber: true,
          cell: (summary) => (
            <>
              {share(summary.pass_rate)} <span className="muted">{count(summary.passed)}</span>
            </>
          ),
        },
        { name: 'Errored', isNumber: true, cell: (summary) => <ErroredLink runId={runId} summary={summary} /> },
        { name: 'p50', isNumber: true, cell: (summary) => latency(summary.latency_ms.p50) },
        { name: 'p95', isNumber: true, cell: (summary) => latency(summary.latency_ms.p95) },
        { name: 'Cost', isNumber: true, cell: ({ cost_usd: cost }) => <Money usd={cost} /> },
        {
          name: 'Cost per passed',
          isNumber: true,
          cell: ({ cost_usd: cost, passed }) =>
            cost !== null && passed === 0 ? (
              <span className="muted">none passed</span>
            ) : (
              <Money usd={cost === null ? null : cost / passed} />
            ),
        },
        ...(hasHits ? [hits] : []),
      ]}
    />
  );
}

const ErroredLink = ({ runId, summary: { errored, target } }: { runId: string; summary: Summary }) =>
  errored > 0 && (
    <ResultsLink
      runId={runId}
      search={{ model: [target], type: ['errored'] }}
      label={`${errored} errored results of ${target.slice(0, 100)}`}
    >
      {count(errored)}
    </ResultsLink>
  );
