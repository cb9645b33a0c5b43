import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Folded } from '../../../ui/folded';
import { QueryBoundary } from '../../../ui/query-boundary';
import { UserLine } from '../../../ui/user-text';
import type { ResultsSearch } from '../address';
import { resultsOfCaseQuery, type Result, type ResultWithExchange } from '../api';
import { CaseHistory } from '../parts/case-history';
import { Samples, verdictOf, VerdictMark } from '../parts/verdict';
import css from './results.module.css';

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
      <QueryBoundary rows={2}>
        <InThisRun {...{ runId, result, search }} />
      </QueryBoundary>
      <Folded title="In all runs">{() => <CaseHistory suiteId={suiteId} caseId={result.case_id} />}</Folded>
    </section>
  );
}

function InThisRun({ runId, result, search }: Omit<SameCaseProps, 'suiteId'>) {
  const { items, next_cursor: next } = useSuspenseQuery(resultsOfCaseQuery(runId, result.case_id)).data;
  const byModel = Map.groupBy(items, ({ target }) => target);
  return (
    <>
      <ul className={css.sameCase}>
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
      {next !== null && <p className="muted small">Only the first {items.length} results are shown.</p>}
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
