import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { QueryBoundary } from '../../../ui/query-boundary';
import { samplesQuery, type ResultWithExchange } from '../api';
import type { ResultsSearch } from '../address';
import { CasePicture } from '../parts/case-picture';
import { ResultPart } from '../parts/result-details';
import { verdictOf, VerdictMark } from '../parts/verdict';
import css from './results.module.css';

interface Props {
  runId: string;
  suiteId: string;
  result: ResultWithExchange;
  search: ResultsSearch;
}

/** Other verdicts on the case: the samples of this model, and other models and runs. */
export function SameCase({ runId, suiteId, result, search }: Props) {
  const navigate = useNavigate();
  return (
    <ResultPart title="The same case">
      <QueryBoundary rows={1}>
        <OtherSamples {...{ runId, result, search }} />
      </QueryBoundary>
      <QueryBoundary rows={5}>
        <CasePicture
          suiteId={suiteId}
          caseId={result.case_id}
          here={{ runId, target: result.target }}
          open={(run, resultId) =>
            void navigate({
              to: '/runs/$runId/results/$resultId',
              params: { runId: run, resultId },
              search: run === runId ? search : {},
            })
          }
        />
      </QueryBoundary>
    </ResultPart>
  );
}

/** The samples of the case by the same model in the same run, if there are several. */
function OtherSamples({ runId, result, search }: Omit<Props, 'suiteId'>) {
  const { items } = useSuspenseQuery(samplesQuery(runId, result.case_id, result.target)).data;
  if (items.length < 2) return null;
  return (
    <p className={css.samples}>
      <span className="muted small">Samples</span>
      {items.map((sample) => {
        const isThis = sample.id === result.id;
        const word = verdictOf(sample);
        return (
          <Link
            key={sample.id}
            className="button dense"
            to="/runs/$runId/results/$resultId"
            params={{ runId, resultId: sample.id }}
            search={search}
            aria-current={isThis ? 'true' : undefined}
            aria-label={`Sample ${sample.sample + 1}, ${word}${isThis ? ', this one' : ''}`}
          >
            <VerdictMark word={word} /> {sample.sample + 1}
          </Link>
        );
      })}
    </p>
  );
}
