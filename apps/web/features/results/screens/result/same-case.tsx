import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ResultsSearch } from '../../address';
import { resultsOfCaseQuery, type Result, type ResultWithExchange } from '../../api/results';
import { Samples } from '../../parts/samples';
import { CaseHistory } from '../../parts/case-history';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserLine } from '../../../../ui/user-text';
import { Skeleton } from '../../../../ui/skeleton';
import { verdictOf, VerdictMark } from '../../parts/verdict';
import { Folded } from '../../../../ui/folded';

interface SameCaseProps {
  runId: string;
  suiteId: string;
  result: ResultWithExchange;
  search: ResultsSearch;
}

/** Other results of the case: other samples and models in this run, and earlier runs. */
export function SameCase({ runId, suiteId, result, search }: SameCaseProps) {
  return (
    <section aria-labelledby="same-title">
      <h2 id="same-title">The same case</h2>
      <InThisRun {...{ runId, result, search }} />
      <Folded title="In all runs">{() => <CaseHistory suiteId={suiteId} caseId={result.case_id} />}</Folded>
    </section>
  );
}

function InThisRun({ runId, result, search }: Omit<SameCaseProps, 'suiteId'>) {
  const { data, error, isPending, refetch } = useQuery(resultsOfCaseQuery(runId, result.case_id));
  if (isPending) return <Skeleton rows={2} />;
  if (!data) return <ErrorNotice error={error} retry={refetch} />;
  const byModel = Map.groupBy(data.items, ({ target }) => target);
  return (
    <>
      <ul className="same-case">
        {[...byModel].map(([model, samples]) => (
          <li key={model}>
            <UserLine text={model} /> <Samples samples={samples} />
            <span className="actions">
              {samples.map((sample) => (
                <SampleLink key={sample.id} {...{ runId, sample, search }} isThis={sample.id === result.id} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      {data.next_cursor !== null && (
        <p className="muted small">Only the first {data.items.length} results are shown.</p>
      )}
    </>
  );
}

interface SampleLinkProps {
  runId: string;
  sample: Result;
  search: ResultsSearch;
  isThis: boolean;
}

function SampleLink({ runId, sample, search, isThis }: SampleLinkProps) {
  const word = verdictOf(sample);
  return (
    <Link
      className="button dense"
      to="/runs/$runId/results/$resultId"
      params={{ runId, resultId: sample.id }}
      search={search}
      aria-current={isThis ? 'true' : undefined}
      aria-label={`Sample ${sample.sample + 1} of ${sample.target}, ${word}${isThis ? ', this one' : ''}`}
    >
      <VerdictMark word={word} /> {sample.sample + 1}
    </Link>
  );
}
