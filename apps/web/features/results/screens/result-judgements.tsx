import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Label } from '#lib/contracts/label';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { ErrorNotice } from '../../../ui/notices';
import { Folded } from '../../../ui/details';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { judgementsOfResultQuery, type LabelledResult, labelsOfResultQuery, reportsQuery } from '../../judge/api';
import { putLabel, refreshLabels } from '../../judge/labels';
import { CalibrationSentence } from '../../judge/parts/calibration';
import { JudgementMark, JudgementText } from '../../judge/parts/judgement';
import type { Result } from '../api';
import css from './results.module.css';

/** People's labels and judges' opinions of a result. None of them changes its score. */
export function ResultJudgements({ runId, result }: { runId: string; result: Pick<Result, 'id' | 'outcome'> }) {
  if (result.outcome === 'errored') return null;
  return (
    <>
      <ResultLabels runId={runId} resultId={result.id} />
      <Folded title="Judge verdicts">
        {() => (
          <QueryBoundary rows={3}>
            <OfJudges runId={runId} resultId={result.id} />
          </QueryBoundary>
        )}
      </Folded>
    </>
  );
}

/** How many reports are read: the newest finished ones. */
const REPORTS = 5;

function OfJudges({ runId, resultId }: LabelledResult) {
  const { items: reports } = useSuspenseQuery(reportsQuery({ run: runId })).data;
  const ended = reports.filter(({ status, eval_id: of }) => status === 'completed' && of === runId);
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

interface OfReportProps {
  report: JudgeReport;
  resultId: string;
}

function OfReport({ report, resultId }: OfReportProps) {
  return (
    <div className={css.stack}>
      <h3>
        <Link to="/judge/reports/$reportId" params={{ reportId: report.id }}>
          <UserText text={report.judge} max={200} />
          {report.baseline_eval_id !== null && ', compared with another run'}
        </Link>{' '}
        <span className="muted small">
          <Time at={report.created_at} />
        </span>
      </h3>
      <QueryBoundary rows={1}>
        <JudgementsOf report={report} resultId={resultId} />
      </QueryBoundary>
    </div>
  );
}

function JudgementsOf({ report: { id, calibration }, resultId }: OfReportProps) {
  const { items: judgements } = useSuspenseQuery(judgementsOfResultQuery(id, resultId)).data;
  if (judgements.length === 0) return <p className="muted">This result was not judged.</p>;
  return (
    <>
      {judgements.map((judgement) => (
        <JudgementText key={judgement.position} judgement={judgement} />
      ))}
      <CalibrationSentence calibration={calibration} report={id} />
    </>
  );
}

/** People's labels of a result. Those of others are collapsed, so that they do not bias the user. */
function ResultLabels(result: LabelledResult) {
  const { data } = useQuery(labelsOfResultQuery(result));
  const mine = data?.items.find((label) => label.mine);
  const others = data?.items.filter((label) => label !== mine) ?? [];
  return (
    <>
      {mine && (
        <Folded title={`Reason of your label${mine.note === null ? '' : ': given'}`}>
          {() => <LabelReason key={mine.updated_at} {...{ result, mine }} />}
        </Folded>
      )}
      {others.length > 0 && (
        <Folded title={`Labels of others (${count(others.length)})`}>
          {() => (
            <ul className={css.sameCase}>
              {others.map((label) => (
                <li key={label.user}>
                  <OthersLabel label={label} />
                </li>
              ))}
            </ul>
          )}
        </Folded>
      )}
    </>
  );
}

const OthersLabel = ({ label: { label, note, user, updated_at: at } }: { label: Label }) => (
  <>
    <span className="actions">
      <JudgementMark word={label} /> <UserText text={user} max={100} />{' '}
      <span className="muted small">
        <Time at={at} />
      </span>
    </span>
    {note !== null && <UserText text={note} />}
  </>
);

function LabelReason({ result, mine }: { result: LabelledResult; mine: Label }) {
  const refusal = useRefusal('editor');
  const [note, setNote] = useState(mine.note ?? '');
  const save = useAction(putLabel, () => refreshLabels(result.runId));
  return (
    <div className="fields">
      <textarea
        aria-label="Reason of your label"
        rows={2}
        maxLength={2000}
        dir="auto"
        readOnly={refusal !== undefined}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      {note.trim() !== (mine.note ?? '') && (
        <div>
          <button
            type="button"
            disabled={save.isPending}
            onClick={() => save.mutate({ ...result, label: mine.label, note: note.trim() || null })}
          >
            Save the reason
          </button>
        </div>
      )}
      {save.error && <ErrorNotice error={save.error} />}
    </div>
  );
}
