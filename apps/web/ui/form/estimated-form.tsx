import { skipToken, useQuery, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AllowedButton } from '../buttons';
import { useDebounced } from '../debounced';
import { ErrorNotice } from '../notices';
import { submitOnCtrlEnter } from '../keys';
import { useFormState, type FormOptions } from './form';
import type { FormFault } from './form-request';
import { JsonForm } from './json-form';
import { RestoredDraft } from './restored-draft';

interface Props<Estimated, Key extends QueryKey, Answer> extends FormOptions<string, Answer> {
  /** The query that estimates a request, if there is one. It is asked again after a short pause in typing. */
  estimateOf?: (body: string | undefined) => UseQueryOptions<Estimated, Error, Estimated, Key>;
  /** Renders the estimate. @param missing what has to be chosen first */
  figures: (estimate: UseQueryResult<Estimated>, missing: FormFault[]) => ReactNode;
  /** What stands next to the fields, for screen readers. */
  label?: string;
  /** The button's label. */
  action: string;
  /** Whether the estimate and the button are in a bar that stays at the foot of the window. */
  isInBar?: boolean;
  children: ReactNode;
}

/** Fields, the estimate next to them, and the button that starts the work. */
export function EstimatedForm<Estimated, Key extends QueryKey, Answer>(props: Props<Estimated, Key, Answer>) {
  const { estimateOf = none<Estimated, Key>, figures, label = 'Estimate', action, isInBar, children } = props;
  const { draft, refusal, request, body, sending, submit } = useFormState(props);
  const settled = useDebounced(body);
  const estimate = useQuery(estimateOf(body === undefined ? undefined : settled));
  // The errors of the submission are shown until the input changes; then those of the estimate.
  const isJudged = sending.isError && sending.variables === body;
  const error = isJudged ? sending.error : estimate.error;
  return (
    <JsonForm edited={draft.value} change={draft.change} error={body === undefined ? null : error} refusal={refusal}>
      <form className={isInBar ? 'set-up in-bar' : 'set-up'} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className="fields">
          <RestoredDraft draft={draft} />
          {children}
        </div>
        <aside className="beside" aria-label={label}>
          {figures(estimate, 'faults' in request ? request.faults : [])}
          {isJudged && <ErrorNotice error={sending.error} />}
          <div className="actions">
            <AllowedButton
              type="submit"
              className="primary"
              refusal={refusal}
              disabled={body === undefined || sending.isPending}
            >
              {action}
            </AllowedButton>
            {draft.isChanged && !draft.isRestored && (
              <button type="button" onClick={draft.clear}>
                Start over
              </button>
            )}
          </div>
        </aside>
      </form>
    </JsonForm>
  );
}

const none = <Estimated, Key extends QueryKey>() =>
  ({ queryKey: ['no estimate'], queryFn: skipToken }) as unknown as UseQueryOptions<Estimated, Error, Estimated, Key>;
