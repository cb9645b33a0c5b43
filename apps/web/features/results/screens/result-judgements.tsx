import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Label, LabelName } from '#lib/contracts/label';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { ErrorNotice } from '../../../ui/notices';
import { Folded } from '../../../ui/details';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import {
  deleteLabel,
  judgementsOfResultQuery,
  type LabelledResult,
  labelsOfResultQuery,
  putLabel,
  refreshLabels,
  reportsQuery,
} from '../../judge/api';
import { CalibrationSentence } from '../../judge/parts/calibration';
import { JudgementMark, JudgementText } from '../../judge/parts/judgement';
import { LabelButtons } from '../../judge/parts/label-buttons';
import type { Result } from '../api';
import css from './results.module.css';

/** People's labels and judges' opinions of a result. None of them changes its score. */
export function ResultJudgements({ runId, result }: { runId: string; result: Pick<Result, 'id' | 'outcome'> }) {
  return (
    <section aria-labelledby="judgements-title" className={css.stack}>
      <h2 id="judgements-title" title="Does the reply serve the user, whatever the case expects?">
        Judgements
      </h2>
      {result.outcome === 'errored' ? (
        <p className="muted">There is no reply to label or to judge.</p>
      ) : (
        <>
          <QueryBoundary rows={2}>
            <ResultLabels runId={runId} resultId={result.id} />
          </QueryBoundary>
          <Folded title="Judge verdicts">
            {() => (
              <QueryBoundary rows={3}>
                <OfJudges runId={runId} resultId={result.id} />
              </QueryBoundary>
            )}
          </Folded>
        </>
      )}
    </section>
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
  const { items: labels } = useSuspenseQuery(labelsOfResultQuery(result)).data;
  const mine = labels.find((label) => label.mine);
  const others = labels.filter((label) => label !== mine);
  return (
    <>
      <OwnLabel key={mine?.updated_at} {...{ result, mine }} />
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

function OwnLabel({ result, mine }: { result: LabelledResult; mine: Label | undefined }) {
  const refusal = useRefusal('editor');
  const [note, setNote] = useState(mine?.note ?? '');
  const refresh = (): Promise<void> => refreshLabels(result.runId);
  const save = useAction(putLabel, refresh);
  const remove = useAction(deleteLabel, refresh);
  const isPending = save.isPending || remove.isPending;
  const error = save.error ?? remove.error;
  const send = (label: LabelName): void => save.mutate({ ...result, label, note: note.trim() || null });
  return (
    <div className="fields">
      <div className="actions" role="group" aria-label="Your label">
        <LabelButtons choose={send} isPending={isPending} chosen={mine?.label} refusal={refusal} />
        {mine && (
          <button
            type="button"
            className="plain"
            disabled={isPending || refusal !== undefined}
            onClick={() => remove.mutate(result)}
          >
            Remove label
          </button>
        )}
        <span role="status" className="muted small">
          {mine ? `Your label: ${mine.label}.` : 'Not labelled by you yet.'}
        </span>
      </div>
      <label className="field">
        <span className="label">Note</span>
        <textarea
          rows={2}
          maxLength={2000}
          dir="auto"
          readOnly={refusal !== undefined}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </label>
      {mine && note.trim() !== (mine.note ?? '') && (
        <div>
          <button type="button" disabled={isPending} onClick={() => send(mine.label)}>
            Save the note
          </button>
        </div>
      )}
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
