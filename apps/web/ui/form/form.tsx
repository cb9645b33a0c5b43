import { useMemo, useRef, type FormEvent, type ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import type { Role } from '#lib/contracts/team';
import { useAction, type Sent } from '../../api/action';
import { useRefusal } from '../../api/session';
import { AllowedButton } from '../buttons';
import { useDraft, type Draft } from '../draft';
import { ErrorNotice } from '../notices';
import { useUnsaved } from '../unsaved';
import { submitOnCtrlEnter } from '../keys';
import type { Edited } from './edited';
import { valueOf, type FormRequest } from './form-request';
import { JsonForm } from './json-form';
import { RestoredDraft } from './restored-draft';

export interface FormOptions<Body, Answer> {
  /** Names the draft in this tab. Without it, input lasts as long as the form. */
  name?: string;
  /** The value before any input: as stored, or of an empty form. */
  initial: Json;
  /** Who may send it. Default: editors. */
  needs?: Role;
  /** Why nobody of that role may send it. */
  refusal?: string;
  /** The request of the edited value, or why there is none yet. Default: the value, once each field is valid. */
  requestOf?: (edited: Edited) => FormRequest<Body>;
  send: (body: Body, options: Sent) => Promise<Answer>;
  /** Called when it was sent. Then the draft ends, but for what was typed meanwhile. */
  onDone?: (answer: Answer, sent: Body) => unknown;
}

/** A form's draft, and sending it. Nothing is sent without the role, or while a request is under way. */
export function useFormState<Body = Json, Answer = unknown>(options: FormOptions<Body, Answer>) {
  const { name, initial, needs = 'editor', requestOf = valueOf<Body>, send, onDone } = options;
  const first = useMemo<Edited>(() => ({ value: initial, unread: {} }), [initial]);
  const draft = useDraft(name, first);
  const saved = useRef<Edited>(undefined);
  const refusal = useRefusal(needs) ?? options.refusal;
  const request = requestOf(draft.value);
  const body = 'body' in request ? request.body : undefined;
  const sending = useAction(send, async (answer, sent) => {
    try {
      await onDone?.(answer, sent);
    } finally {
      // Not before what was stored is read again, or its older value would be shown in between.
      if (saved.current) draft.end(saved.current);
    }
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (body === undefined || refusal !== undefined || sending.isPending) return;
    saved.current = draft.value;
    sending.mutate(body);
  };
  return { draft, refusal, request, body, sending, submit };
}

/** Input that the draft leaves out, so that the browser does not store it. */
export interface Outside {
  isChanged: boolean;
  clear: () => void;
}

interface Props<Body, Answer> extends FormOptions<Body, Answer> {
  /** Further input, which lasts as long as the form. */
  outside?: Outside;
  /** The label of its button. */
  save: string;
  /** The message after saving. */
  saved?: (answer: Answer) => string;
  className?: string;
  children: ReactNode;
  /** Further buttons. */
  buttons?: ReactNode;
  /** Shown below after saving. */
  below?: (answer: Answer) => ReactNode;
  /** The label of a disclosure around it, which is open while there is a draft. */
  summary?: string;
}

/** A form that keeps a draft until it is saved, if it has a name. */
export function Form<Body = Json, Answer = unknown>(props: Props<Body, Answer>) {
  const { name, save, saved, className = 'fields', children, buttons, below, summary, outside } = props;
  const { draft: kept, refusal, sending, submit } = useFormState(props);
  const draft = useWhole(kept, outside);
  const form = (
    <JsonForm edited={draft.value} change={draft.change} error={sending.error} refusal={refusal}>
      <form className={className} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <RestoredDraft draft={draft} />
        {children}
        <SaveBar
          {...{ save, refusal, sending }}
          draft={name === undefined ? { ...draft, isChanged: false } : draft}
          saved={sending.isSuccess ? saved?.(sending.data) : undefined}
          buttons={buttons}
        />
        {sending.isSuccess && below?.(sending.data)}
      </form>
    </JsonForm>
  );
  if (summary === undefined) return form;
  return (
    <details open={draft.isChanged || sending.isError || undefined}>
      <summary>{summary}</summary>
      {form}
    </details>
  );
}

interface WholeDraft extends Draft<Edited> {
  /** Whether a part of it does not survive a reload. */
  isPartlyKept?: boolean;
}

/** A draft and further input: both are discarded together. */
function useWhole(draft: Draft<Edited>, outside: Outside | undefined): WholeDraft {
  useUnsaved(outside?.isChanged ?? false);
  if (!outside?.isChanged) return draft;
  const clear = (): void => {
    draft.clear();
    outside.clear();
  };
  return { ...draft, isChanged: true, isPartlyKept: true, clear };
}

interface SaveBarProps {
  draft: WholeDraft;
  /** The button's label. */
  save: string;
  refusal: string | undefined;
  sending: { isPending: boolean; error: Error | null };
  /** The message after saving. */
  saved?: string;
  buttons?: ReactNode;
}

/** Saves the form around it, or discards the changes. */
export function SaveBar({ draft, save, refusal, sending: { isPending, error }, saved, buttons }: SaveBarProps) {
  const unread = Object.keys(draft.value.unread);
  return (
    <div>
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
        {draft.isChanged && !draft.isRestored && (
          <button type="button" disabled={isPending} onClick={draft.clear}>
            Discard changes
          </button>
        )}
        {buttons}
        <span role="status" className="muted small">
          {statusOf(draft, unread, saved)}
        </span>
      </div>
    </div>
  );
}

function statusOf(
  { isChanged, isTooLong, isPartlyKept }: WholeDraft,
  unread: string[],
  saved: string | undefined,
): string {
  if (unread.length > 0)
    return `Not valid yet: ${unread
      .slice(0, 3)
      .map((at) => at || 'the JSON')
      .join(', ')}.`;
  if (isTooLong) return 'Not saved, and too long to survive a reload.';
  if (isPartlyKept) return 'Not saved yet; keys, headers and certificates do not survive a reload.';
  if (isChanged) return 'Not saved yet; kept in this tab.';
  return saved ?? '';
}
