import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, type FormEvent, type ReactNode } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../api/action';
import { useRefusal } from '../../api/session';
import { useDraft } from '../draft';
import type { Edited } from './edited';
import { JsonForm } from './form';
import { submitOnCtrlEnter } from '../submit-keys';
import type { FormFault } from './labelled-field';
import { SubmitBar } from './submit-bar';
import type { FormRequest } from './form-request';

interface Props<Estimated, Answer> {
  draftKey: string;
  initial: JsonObject;
  requestOf: (edited: Edited) => FormRequest;
  /** A hook that estimates a request. */
  useEstimate: (body: string | undefined) => UseQueryResult<Estimated>;
  /** Renders the estimate. @param missing what has to be chosen first */
  figures: (estimate: UseQueryResult<Estimated>, missing: FormFault[]) => ReactNode;
  submit: (body: string, options: { idempotencyKey: string }) => Promise<Answer>;
  onDone: (answer: Answer) => Promise<unknown>;
  /** The button's label. */
  action: string;
  children: ReactNode;
}

/** Fields, the estimate next to them, and the submit button. */
export function EstimatedForm<Estimated, Answer>(props: Props<Estimated, Answer>) {
  const { draftKey, initial, requestOf, useEstimate, figures, action } = props;
  const first = useMemo<Edited>(() => ({ value: initial, unread: {} }), [initial]);
  const draft = useDraft(draftKey, first);
  const refusal = useRefusal('editor');
  const written = requestOf(draft.value);
  const body = 'body' in written ? written.body : undefined;
  const estimate = useEstimate(body);
  const submit = useAction(props.submit, async (answer) => {
    draft.clear();
    await props.onDone(answer);
  });
  // The errors of the submission are shown until the input changes; then those of the estimate.
  const isJudged = submit.isError && submit.variables === body;
  const error = isJudged ? submit.error : estimate.error;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined && refusal === undefined && !submit.isPending) submit.mutate(body);
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={body === undefined ? null : error} refusal={refusal}>
      <form className="set-up" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <div className="fields">{props.children}</div>
        <aside className="beside" aria-label="Estimate">
          {figures(estimate, 'faults' in written ? written.faults : [])}
          <SubmitBar
            action={action}
            isWaiting={body === undefined || submit.isPending}
            error={isJudged ? submit.error : null}
            {...{ refusal, draft }}
          />
        </aside>
      </form>
    </JsonForm>
  );
}
