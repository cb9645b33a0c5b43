import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { ErrorNotice } from './notices';

/** A modal dialog. Escape cancels it. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed before it leaves the page, so that the focus returns to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      onClose={({ currentTarget: { isConnected, open } }) => isConnected && !open && close()}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  /** What will happen, and what remains. */
  children: ReactNode;
  /** The button's label. */
  action: string;
  isPending: boolean;
  error: Error | null;
  act: () => void;
  close: () => void;
}

/** Asks for confirmation before something goes or stops. Escape and Cancel change nothing. */
export function ConfirmDialog({ title, children, action, isPending, error, act, close }: ConfirmDialogProps) {
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
