import type { FormEvent, ReactNode } from 'react';
import type { Draft } from '../draft';
import { submitOnCtrlEnter } from '../submit-keys';
import type { Edited } from './edited';
import { JsonForm } from './json-form';
import { SaveBar } from './save-bar';

interface Props {
  draft: Draft<Edited>;
  /** The request that saves the draft. */
  saving: { isPending: boolean; error: Error | null };
  refusal: string | undefined;
  send: () => void;
  /** The label of its button. */
  save: string;
  /** Shown after it was saved. */
  saved?: string;
  className?: string;
  children: ReactNode;
  below?: ReactNode;
}

/** A form that keeps a draft until it is saved. Nothing is sent without the role, or while a request is pending. */
export function DraftForm({ draft, saving, refusal, send, save, saved, className = 'fields', ...inner }: Props) {
  const { isPending, error } = saving;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal === undefined && !isPending) send();
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={error} refusal={refusal}>
      <form className={className} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        {inner.children}
        <SaveBar {...{ draft, save, refusal, isPending, error, saved }} />
        {inner.below}
      </form>
    </JsonForm>
  );
}
