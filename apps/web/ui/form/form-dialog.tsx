import type { ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import { Dialog } from '../dialog';
import { ErrorNotice } from '../notices';
import { submitOnCtrlEnter } from '../keys';
import { useFormState, type FormOptions } from './form';
import { JsonForm } from './json-form';

interface Props<Body, Answer> extends Omit<FormOptions<Body, Answer>, 'name'> {
  title: string;
  /** The label of the submit button. */
  action: string;
  close: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A modal form. Escape and Cancel drop what was typed. */
export function FormDialog<Body = Json, Answer = unknown>({
  title,
  action,
  close,
  children,
  ...form
}: Props<Body, Answer>) {
  const { draft, refusal, body, sending, submit } = useFormState(form);
  return (
    <Dialog title={title} close={close}>
      <JsonForm edited={draft.value} change={draft.change} error={sending.error} refusal={refusal}>
        <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          {children}
          {sending.error && <ErrorNotice error={sending.error} />}
          <div className="actions">
            <button type="submit" className="primary" disabled={body === undefined || sending.isPending}>
              {action}
            </button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      </JsonForm>
    </Dialog>
  );
}
