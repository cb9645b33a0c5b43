import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Judgement, JudgeReport } from '#lib/judge/contract';
import { judgementsQuery } from '../../api/judge';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText, UserLine } from '../../../../ui/user-text';
import { JudgementText } from '../../parts/judgement-text';
import { PageLinks } from '../../../../ui/page-links';
import { Skeleton } from '../../../../ui/skeleton';
import { JudgementFilters } from './judgement-filters';

/** The judgement of each result, in the order in which the results were chosen. */
export function Judgements({ report }: { report: JudgeReport }) {
  const { after, ...filter } = useSearch({ from: '/signed-in/judge/reports/$reportId' });
  const { data, error, isPending, refetch } = useQuery({
    ...judgementsQuery(report.id, { ...filter, after }),
    refetchOnMount: 'always',
  });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <section aria-labelledby="judgements" className="section">
      <h2 id="judgements">Judgements</h2>
      <JudgementFilters report={report} filter={filter} />
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      {isPending && <Skeleton rows={8} />}
      {data?.items.length === 0 && (
        <p className="muted">{isFiltered ? 'No judgements match.' : 'No judgements yet.'}</p>
      )}
      {data && data.items.length > 0 && (
        <ol className="judgements" aria-labelledby="judgements">
          {data.items.map((judgement) => (
            <li key={judgement.position}>
              <JudgementItem judgement={judgement} baseline={report.baseline_eval_id} />
            </li>
          ))}
        </ol>
      )}
      {data && (
        <PageLinks
          of="judgements"
          after={after}
          next={data.next_cursor && Number(data.next_cursor)}
          words={['First', 'Next']}
          hash="judgements"
        />
      )}
    </section>
  );
}

function JudgementItem({ judgement, baseline }: { judgement: Judgement; baseline: string | null }) {
  const { eval_id: runId, result_id: resultId, other_result_id: otherId, case_name: name } = judgement;
  return (
    <>
      <h3>
        <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId }}>
          <UserText text={name ?? 'Unnamed case'} max={200} />
        </Link>
      </h3>
      <UserLine text={judgement.prompt} />
      <div className="small muted">
        <UserText text={judgement.target} max={200} />
        {otherId !== null && baseline !== null && (
          <>
            , compared with{' '}
            <Link to="/runs/$runId/results/$resultId" params={{ runId: baseline, resultId: otherId }}>
              the result of A
            </Link>
          </>
        )}
      </div>
      <JudgementText judgement={judgement} />
    </>
  );
}
