import { useNavigate } from '@tanstack/react-router';
import { useMemo, type FormEvent } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../../../api/action';
import { submitReport } from '../../api/judge';
import { refreshWork } from '../../../../api/refresh';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import type { Edited } from '../../../../ui/form/edited';
import { JsonForm } from '../../../../ui/form/json-form';
import { SubmitBar } from '../../../../ui/form/submit-bar';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { ReportFields } from './report-fields';
import { reportRequest } from './report-value';

export function ReportForm({ draftKey, initial }: { draftKey: string; initial: JsonObject }) {
  const navigate = useNavigate();
  const first = useMemo<Edited>(() => ({ value: initial, unread: {} }), [initial]);
  const draft = useDraft(draftKey, first);
  const refusal = useRefusal('editor');
  const written = reportRequest(draft.value);
  const body = 'body' in written ? written.body : undefined;
  const submit = useAction(submitReport, async ({ report_id: reportId }) => {
    draft.clear();
    await Promise.all([refreshWork(), navigate({ to: '/judge/reports/$reportId', params: { reportId } })]);
  });
  // The errors of the submission are shown until the input changes.
  const isJudged = submit.isError && submit.variables === body;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined && refusal === undefined && !submit.isPending) submit.mutate(body);
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={isJudged ? submit.error : null} refusal={refusal}>
      <form className="set-up" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <div className="fields">
          <ReportFields />
        </div>
        <aside className="beside" aria-label="Submit">
          <p className="muted">
            A judgement changes no score. Each result takes one request to the judge, and a second one if the reply
            addresses a grader; each case of a comparison takes two.
          </p>
          {'faults' in written && (
            <ul className="missing">
              {written.faults.map(({ path, message }) => (
                <li key={path}>{message}</li>
              ))}
            </ul>
          )}
          <SubmitBar
            action="Judge"
            isWaiting={body === undefined || submit.isPending}
            error={isJudged ? submit.error : null}
            {...{ refusal, draft }}
          />
        </aside>
      </form>
    </JsonForm>
  );
}
