import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table, type Column } from '../../../ui/table';
import { Moment } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { caseResultsQuery } from '../api';
import { historyRows, shownOf, type HistoryResult, type HistoryRow } from './case-history-rows';
import css from './results.module.css';
import { samplesText, verdictOf, VerdictMark } from './verdict';

interface Props {
  suiteId: string;
  caseId: string;
}

/** Results of a case in all runs, newest first: the verdict of each model. */
export const CaseHistory = (props: Props) => (
  <QueryBoundary rows={3}>
    <History {...props} />
  </QueryBoundary>
);

function History({ suiteId, caseId }: Props) {
  const results = useSuspenseInfiniteQuery(caseResultsQuery(suiteId, caseId));
  const rows = historyRows(results.data.pages.flatMap(({ items }) => items));
  if (rows.length === 0 && !results.hasNextPage) return <Empty>No run has included this case yet.</Empty>;
  return (
    <>
      <Table
        label="Verdicts by model and run"
        className={css.history}
        rows={rows}
        keyOf={({ run }) => run.id}
        columns={COLUMNS}
      />
      <MoreButton of={results} isDense>
        Older runs
      </MoreButton>
    </>
  );
}

const COLUMNS: Column<HistoryRow>[] = [
  {
    name: 'Run',
    isHeading: true,
    cell: ({ run: { id, name, created_at: at } }) => (
      <>
        <Link to="/runs/$runId" params={{ runId: id }}>
          <Moment at={at} />
        </Link>
        {name !== null && <UserLine text={name} />}
      </>
    ),
  },
  { name: 'Version', isNumber: true, cell: ({ run }) => run.suite_version },
  {
    name: 'Verdicts',
    cell: ({ run, byModel }) => (
      <div className={css.cells}>
        {[...byModel].map(([model, samples]) => (
          <ModelCell key={model} runId={run.id} model={model} samples={samples} />
        ))}
      </div>
    ),
  },
];

interface CellProps {
  runId: string;
  model: string;
  samples: HistoryResult[];
}

function ModelCell({ runId, model, samples }: CellProps) {
  const words = samples.length === 1 ? verdictOf(samples[0]!) : samplesText(samples);
  return (
    <Link
      className={css.cell}
      title={words}
      to="/runs/$runId/results/$resultId"
      params={{ runId, resultId: shownOf(samples).id }}
    >
      {samples.slice(0, MAX_MARKS).map((sample) => (
        <VerdictMark key={sample.id} word={verdictOf(sample)} />
      ))}
      <span className="unseen">{words}: </span>
      <ModelName target={model} />
    </Link>
  );
}

const MAX_MARKS = 10;
