import type { ReactNode } from 'react';
import { AllowedButton } from '../allowed-button';
import { ErrorNotice } from '../error-notice';
import type { Draft } from '../draft';
import type { Edited } from './edited';

interface Save {
  draft: Draft<Edited>;
  /** The button's label. */
  save: string;
  refusal: string | undefined;
  isPending: boolean;
  error: Error | null;
  /** The message after saving. */
  saved?: string;
  children?: ReactNode;
}

/** Saves the form around it, or discards the changes. */
export function SaveBar({ draft, save, refusal, isPending, error, saved, children }: Save) {
  const unread = Object.keys(draft.value.unread);
  return (
    <div className="save-bar">
      {error && <ErrorNotice error={error} />}
      <div className="actions">
        <AllowedButton
          type="submit"
          className="primary"
          refusal={refusal}
          disabled={isPending || unread.length > 0}
          title={refusal ?? 'Ctrl+Enter'}
        >
          {save}
        </AllowedButton>
        {draft.isChanged && (
          <button type="button" disabled={isPending} onClick={draft.clear}>
            Discard changes
          </button>
        )}
        {children}
        <span role="status" className="muted small">
          {statusOf(draft, unread, saved)}
        </span>
      </div>
    </div>
  );
}

function statusOf({ isChanged, isTooLong }: Draft<Edited>, unread: string[], saved: string | undefined): string {
  if (unread.length > 0)
    return `Not valid yet: ${unread
      .slice(0, 3)
      .map((at) => at || 'the JSON')
      .join(', ')}.`;
  if (isTooLong) return 'Not saved, and too long to survive a reload.';
  if (isChanged) return 'Not saved yet; kept in this tab.';
  return saved ?? '';
}
