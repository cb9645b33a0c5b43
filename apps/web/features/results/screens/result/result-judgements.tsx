import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { judgementsOfResultQuery, reportsQuery } from '../../../judge/api';
import type { Result } from '../../api/results';
import { CalibrationSentence } from '../../../judge/parts/calibration';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { JudgementText } from '../../../judge/parts/judgement';
import { Skeleton } from '../../../../ui/skeleton';
import { Time } from '../../../../ui/time';
import { Folded } from '../../../../ui/folded';
import { ResultLabels } from './result-labels';

/** How many reports are read: the newest finished ones. */
const REPORTS = 5;

interface Props {
  runId: string;
  result: Pick<Result, 'id' | 'outcome'>;
}

/** People's labels and judges' opinions of a result. None of them changes its score. */
export function ResultJudgements({ runId, result }: Props) {
  return (
    <section aria-labelledby="judgements-title" className="said">
      <h2 id="judgements-title">Judgements</h2>
      {result.outcome === 'errored' ? (
        <p className="muted">There is no reply to label or to judge.</p>
      ) : (
        <>
          <p className="muted small">Does the reply serve the user, whatever the case expects?</p>
          <ResultLabels runId={runId} resultId={result.id} />
          <Folded title="Judge verdicts">{() => <OfJudges runId={runId} resultId={result.id} />}</Folded>
        </>
      )}
    </section>
  );
}

function OfJudges({ runId, resultId }: { runId: string; resultId: string }) {
  const { data, error, isPending, refetch } = useQuery(reportsQuery({ run: runId }));
  if (isPending) return <Skeleton rows={3} />;
  if (!data) return <ErrorNotice error={error} retry={refetch} />;
  const ended = data.items.filter(({ status, eval_id: of }) => status === 'completed' && of === runId);
  if (ended.length === 0)
    return (
      <p>
        This run has not been judged. <Link {...{ to: '/judge/new', search: { eval: runId } }}>Judge it</Link>
      </p>
    );
  return (
    <>
      {ended.slice(0, REPORTS).map((report) => (
        <OfReport key={report.id} report={report} resultId={resultId} />
      ))}
      {ended.length > REPORTS && <p className="muted small">Only the newest {REPORTS} reports on the run are shown.</p>}
    </>
  );
}

function OfReport({ report, resultId }: { report: JudgeReport; resultId: string }) {
  const { data, error, isPending, refetch } = useQuery(judgementsOfResultQuery(report.id, resultId));
  return (
    <div className="of-report">
      <h3>
        <Link to="/judge/reports/$reportId" params={{ reportId: report.id }}>
          <UserText text={report.judge} max={200} />
          {report.baseline_eval_id !== null && ', compared with another run'}
        </Link>{' '}
        <span className="muted small">
          <Time at={report.created_at} />
        </span>
      </h3>
      {isPending && <Skeleton rows={1} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data?.items.length === 0 && <p className="muted">This result was not judged.</p>}
      {data?.items.map((judgement) => (
        <JudgementText key={judgement.position} judgement={judgement} />
      ))}
      {data && data.items.length > 0 && <CalibrationSentence calibration={report.calibration} report={report.id} />}
    </div>
  );
}
