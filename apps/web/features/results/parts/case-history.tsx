import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';
import { MoreButton } from '../../../ui/buttons';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { caseResultsQuery } from '../api';
import { historyRows, shownOf, type HistoryResult, type HistoryRow, type HistoryRun } from './case-history-rows';
import css from './results.module.css';
import { Samples, Verdict } from './verdict';

interface Props {
  suiteId: string;
  caseId: string;
}

/** Results of a case in all runs: a strip of verdicts for each model, newest run first. */
export const CaseHistory = (props: Props) => (
  <QueryBoundary rows={3}>
    <History {...props} />
  </QueryBoundary>
);

function History({ suiteId, caseId }: Props) {
  const results = useSuspenseInfiniteQuery(caseResultsQuery(suiteId, caseId));
  const { runs, rows } = historyRows(results.data.pages.flatMap(({ items }) => items));
  if (runs.length === 0 && !results.hasNextPage) return <Empty>No run has included this case yet.</Empty>;
  return (
    <>
      <Table
        label="Verdicts by model and run"
        className={css.history}
        rows={rows}
        keyOf={({ model }) => model}
        columns={[MODEL, ...runs.map(columnOf)]}
      />
      <MoreButton of={results} isDense>
        Older runs
      </MoreButton>
    </>
  );
}

const MODEL: Column<HistoryRow> = { name: 'Model', isHeading: true, cell: ({ model }) => <UserLine text={model} /> };

const columnOf = ({ id, name, created_at: at, suite_version: version }: HistoryRun): Column<HistoryRow> => ({
  name: (
    <>
      <Link to="/runs/$runId" params={{ runId: id }} title={name ?? undefined}>
        <Time at={at} />
      </Link>
      <span className="muted small"> v{version}</span>
    </>
  ),
  cell: ({ byRun }) => <Cell runId={id} samples={byRun.get(id)?.map(({ result }) => result)} />,
});

function Cell({ runId, samples }: { runId: string; samples: HistoryResult[] | undefined }) {
  if (!samples) return null;
  return (
    <Link className={css.cell} to="/runs/$runId/results/$resultId" params={{ runId, resultId: shownOf(samples).id }}>
      {samples.length === 1 ? <Verdict of={samples[0]!} /> : <Samples samples={samples} />}
    </Link>
  );
}
