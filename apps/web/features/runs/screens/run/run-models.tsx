import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { Ranking } from '#lib/contracts/ranking';
import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { modelOf } from '#lib/contracts/target-name';
import { cacheHitsOf } from '#lib/contracts/token-counts';
import { IntervalBar, intervalPlace } from '../../../../ui/figures/intervals';
import { count, money, percent, Score } from '../../../../ui/amounts';
import { Claim } from '../../../../ui/claim';
import { Hint } from '../../../../ui/hint';
import { isUnderWay } from '../../../../ui/status';
import { Table, type Column } from '../../../../ui/table';
import { duration } from '../../../../ui/time';
import { UserLine } from '../../../../ui/user-text';
import { ModelName, useShortNames } from '../../../providers/parts/model-name';
import type { ModelNames } from '../../../providers/parts/model-names';
import { rankingQuery } from '../../api';
import { ConversationFigures } from '../../parts/conversation-figures';
import { modelCostText } from '../../parts/run-cost';
import { ResultsLink } from '../../parts/run-link';
import { shownInterval } from '../../parts/run-score';
import { isDescending, rankText, sortedLeaders, tieEnds, type LeaderOrder, type Sorting } from './leaders';
import css from './run.module.css';

/** Which model is better, and whether the difference can be trusted. */
export function RunModels({ run }: { run: Run }) {
  const { summaries } = run;
  const isRanked = summaries.length > 1 && !isUnderWay(run.status);
  const ranking = useQuery({ ...rankingQuery(run.id), enabled: isRanked });
  const names = useShortNames(useMemo(() => summaries.map(({ target }) => target), [summaries]));
  if (summaries.length === 0)
    return <p className="muted">The figures of a model appear when all its results are in.</p>;
  return (
    <>
      <section aria-labelledby="models" className="section">
        <h2 id="models">{summaries.length === 1 ? 'Model' : `${count(summaries.length)} models`}</h2>
        {isRanked && run.top && <RankSentence ranking={ranking.data} names={names} />}
        <ModelTable runId={run.id} summaries={summaries} ranking={ranking.data} names={names} />
      </section>
      <ConversationFigures summaries={summaries} names={names} />
    </>
  );
}

interface RankSentenceProps {
  ranking: Ranking | undefined;
  names: ModelNames;
}

/** Its height is there before the sentence is. The two models that it is about have the names of the table. */
function RankSentence({ ranking, names }: RankSentenceProps) {
  const pair = (ranking?.items ?? []).slice(0, 2);
  const text = pair.reduce(
    (words, { target }) => words.replaceAll(modelOf(target), () => names.of(target)),
    ranking?.text ?? '',
  );
  return <div className={`sentence ${css.rankSentence}`}>{text !== '' && <Claim text={text} />}</div>;
}

const share = (value: number | null): string => (value === null ? '' : percent(value));
const latency = (ms: number | null): string => (ms === null ? '' : duration(ms));

interface ModelTableProps {
  runId: string;
  summaries: Summary[];
  ranking: Ranking | undefined;
  names: ModelNames;
}
const NO_ENDS: ReadonlySet<string> = new Set();
type SummaryColumn = Column<Summary> & { by?: LeaderOrder };

function ModelTable({ runId, summaries, ranking, names }: ModelTableProps) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'score', isReversed: false });
  const sort = (by: LeaderOrder): void => setSorting({ by, isReversed: by === sorting.by && !sorting.isReversed });
  const columns = columnsOf({ runId, summaries, ranking, names }).map(({ by, ...column }): Column<Summary> => {
    if (!by) return column;
    const isSorted = by === sorting.by;
    const way = isDescending(sorting) ? 'descending' : 'ascending';
    return {
      ...column,
      sorted: isSorted ? way : undefined,
      head: (
        <SortButton arrow={isSorted ? (way === 'ascending' ? ' ↑' : ' ↓') : ''} onClick={() => sort(by)}>
          {column.name}
        </SortButton>
      ),
    };
  });
  const rows = sortedLeaders(summaries, sorting);
  const ends = sorting.by === 'score' && !sorting.isReversed ? tieEnds(ranking, rows) : NO_ENDS;
  return (
    <Table
      label="Figures of each model"
      className={css.models}
      hasCards
      rows={rows}
      rowProps={({ target }) => ({ className: ends.has(target) ? css.lastOfTie : undefined })}
      keyOf={({ target }) => target}
      columns={columns}
    />
  );
}

const SortButton = ({ arrow, onClick, children }: { arrow: string; onClick: () => void; children: ReactNode }) => (
  <button type="button" className="plain dense" onClick={onClick}>
    {children}
    <span aria-hidden="true">{arrow}</span>
  </button>
);

function columnsOf({ runId, summaries, ranking, names }: ModelTableProps): SummaryColumn[] {
  const hasHits = summaries.some((summary) => (cacheHitsOf(summary) ?? 0) > 0);
  return [
    {
      name: 'Model',
      head: names.prefix === '' ? 'Model' : <UserLine text={`${names.prefix} …`} />,
      isHeading: true,
      className: 'named',
      cell: ({ target }) => (
        <ResultsLink runId={runId} search={{ model: [target] }}>
          <ModelName target={target} of={names} />
        </ResultsLink>
      ),
    },
    ...(summaries.length > 1
      ? [
          {
            name: 'Rank',
            head: <Hint term="tie">Rank</Hint>,
            className: css.rank,
            cell: (one: Summary) => rankText(ranking, one.target),
          },
        ]
      : []),
    PLOT,
    { name: 'Score', by: 'score', cell: (summary) => <ModelScore summary={summary} /> },
    {
      name: 'Passed',
      by: 'passed',
      isNumber: true,
      cell: (one) => <span title={`${count(one.passed)} of ${count(one.scored)} results`}>{share(one.pass_rate)}</span>,
    },
    { name: 'Tool', isNumber: true, onPhone: 'hidden', cell: (summary) => share(summary.tool_accuracy) },
    { name: 'Arguments', isNumber: true, onPhone: 'hidden', cell: (summary) => share(summary.param_accuracy) },
    {
      name: 'Errored',
      by: 'errored',
      isNumber: true,
      cell: (summary) => <ErroredLink runId={runId} summary={summary} />,
    },
    {
      name: 'p95',
      by: 'p95',
      isNumber: true,
      cell: ({ latency_ms: { p50, p95 } }) => <span title={`median ${latency(p50)}`}>{latency(p95)}</span>,
    },
    { name: 'Cost', by: 'cost', isNumber: true, cell: (summary) => <ModelCost summary={summary} /> },
    {
      name: 'Per passed',
      by: 'per passed',
      isNumber: true,
      cell: ({ cost_usd: cost, passed }) => cost !== null && passed > 0 && money(cost / passed),
    },
    ...(hasHits
      ? [{ name: 'Cache hits', isNumber: true, cell: (summary: Summary) => share(cacheHitsOf(summary)) }]
      : []),
  ];
}

const ENDS = [0, 0.5, 1];

const PlotHead = () => (
  <>
    <span className="unseen">Score from 0 to 100 %</span>
    <svg className={css.plotHead} aria-hidden="true">
      {ENDS.map((share) => (
        <text key={share} x={intervalPlace(share)} y="12" textAnchor="middle">
          {share * 100}
        </text>
      ))}
    </svg>
  </>
);

const PLOT: SummaryColumn = {
  name: '0 to 100 %',
  head: <PlotHead />,
  className: css.plot,
  onPhone: 'hidden',
  cell: (summary) => <Plot summary={summary} />,
};

function Plot({ summary }: { summary: Summary }) {
  const { overall } = summary;
  if (overall === null) return null;
  const { interval, isAlike } = shownInterval(summary);
  return <IntervalBar mean={overall} interval={interval ?? [overall, overall]} isHollow={isAlike} />;
}

function ModelScore({ summary }: { summary: Summary }) {
  const { overall, scored, cases } = summary;
  if (cases === 0) return <span className="muted">not asked</span>;
  return <Score mean={overall} ci={shownInterval(summary).interval} scored={scored} errored={0} />;
}

function ModelCost({ summary }: { summary: Summary }) {
  const text = modelCostText(summary);
  return text.startsWith('$') || text.startsWith('<') ? text : <span className="muted">{text}</span>;
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
