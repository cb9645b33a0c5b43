import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { caseResultsQuery } from '../api/case-results';
import { Samples } from './samples';
import { historyRows, shownOf, type HistoryResult } from './case-history-rows';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserLine } from '../../../ui/user-text';
import { Skeleton } from '../../../ui/skeleton';
import { Time } from '../../../ui/time';
import { Verdict } from './verdict';
import { MoreButton } from '../../../ui/more-button';
import './case-history.css';

/** Results of a case in all runs: a strip of verdicts for each model, newest run first. */
export function CaseHistory({ suiteId, caseId }: { suiteId: string; caseId: string }) {
  const results = useInfiniteQuery(caseResultsQuery(suiteId, caseId));
  if (results.isPending) return <Skeleton rows={3} />;
  if (results.isError && !results.data) return <ErrorNotice error={results.error} retry={results.refetch} />;
  const { runs, rows } = historyRows(results.data.pages.flatMap(({ items }) => items));
  if (runs.length === 0 && !results.hasNextPage) return <Empty>No run has included this case yet.</Empty>;
  return (
    <>
      <div className="wide" role="region" aria-label="Verdicts by model and run" tabIndex={0}>
        <table className="history">
          <thead>
            <tr>
              <th scope="col">Model</th>
              {runs.map(({ id, name, created_at: at, suite_version: version }) => (
                <th scope="col" key={id}>
                  <Link to="/runs/$runId" params={{ runId: id }} title={name ?? undefined}>
                    <Time at={at} />
                  </Link>
                  <span className="muted small"> v{version}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ model, byRun }) => (
              <tr key={model}>
                <th scope="row">
                  <UserLine text={model} />
                </th>
                {runs.map(({ id }) => (
                  <td key={id}>
                    <Cell runId={id} samples={byRun.get(id)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {results.isError && <ErrorNotice error={results.error} retry={() => results.fetchNextPage()} />}
      <MoreButton of={results} isDense>
        Older runs
      </MoreButton>
    </>
  );
}

function Cell({ runId, samples }: { runId: string; samples: HistoryResult[] | undefined }) {
  if (!samples) return null;
  return (
    <Link className="samples" to="/runs/$runId/results/$resultId" params={{ runId, resultId: shownOf(samples).id }}>
      {samples.length === 1 ? <Verdict of={samples[0]!} /> : <Samples samples={samples} />}
    </Link>
  );
}
