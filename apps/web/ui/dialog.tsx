import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react';
import { ErrorNotice } from './error-notice';
import { submitOnCtrlEnter } from './submit-keys';

/** A modal dialog. Escape cancels it. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

interface FormDialogProps {
  title: string;
  /** The fields. */
  children: ReactNode;
  /** The label of the submit button. */
  action: string;
  isDisabled?: boolean;
  sending: { isPending: boolean; error: Error | null };
  send: () => void;
  close: () => void;
}

/** A modal form with buttons to send and to cancel. */
export function FormDialog({ title, children, action, isDisabled = false, sending, send, close }: FormDialogProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  return (
    <Dialog title={title} close={close}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        {children}
        {sending.error && <ErrorNotice error={sending.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={isDisabled || sending.isPending}>
            {action}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface DeleteDialogProps {
  title: string;
  /** What will be deleted, and what remains. */
  children: ReactNode;
  /** The button's label. */
  action: string;
  isPending: boolean;
  error: Error | null;
  act: () => void;
  close: () => void;
}

/** Asks for confirmation before deleting. Escape and Cancel change nothing. */
export function DeleteDialog({ title, children, action, isPending, error, act, close }: DeleteDialogProps) {
  return (
    <Dialog title={title} close={close}>
      {children}
      {error && <ErrorNotice error={error} />}
      <div className="actions">
        <button type="button" className="danger" disabled={isPending} onClick={act}>
          {action}
        </button>
        <button type="button" autoFocus onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
