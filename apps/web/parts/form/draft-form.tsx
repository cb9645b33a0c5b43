import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import type { Draft } from '../draft';
import { submitOnCtrlEnter } from '../submit-keys';
import type { Edited } from './edited';
import { JsonForm } from './form';
import { SaveBar } from './save-bar';

interface Props {
  draft: Draft<Edited>;
  /** Sends the edited value. */
  action: UseMutationResult<unknown, Error, Json>;
  refusal: string | undefined;
  /** Whether there is anything to send; default: yes. */
  isReady?: boolean;
  /** The label of the button. */
  save: string;
  /** The message after saving. */
  saved?: string | undefined;
  className?: string;
  children: ReactNode;
}

/** Fields that edit a draft, and the bar that saves it. */
export function DraftForm({
  draft,
  action,
  refusal,
  isReady = true,
  save,
  saved,
  className = 'fields',
  children,
}: Props) {
  const { error, isPending } = action;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isAllowed = Object.keys(draft.value.unread).length === 0 && refusal === undefined && !isPending;
    if (isReady && isAllowed) action.mutate(draft.value.value);
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={error} refusal={refusal}>
      <form className={className} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        {children}
        <SaveBar {...{ draft, save, refusal, isPending, error, saved }} />
      </form>
    </JsonForm>
  );
}
