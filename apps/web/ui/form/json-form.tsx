import { createContext, type ReactNode, useContext, useId, useMemo } from 'react';
import { ApiError } from '#lib/client/api-client';
import type { InputError } from '#lib/contracts/input/problem';
import type { Json } from '#lib/contracts/json/json';
import { edit, type Edited, editUnread, errorsAt, type Path, pointerOf, valueAt } from './edited';
import type { FormFault } from './form-request';
import { UserText } from '../user-text';

interface FormState {
  edited: Edited;
  change: (edited: Edited) => void;
  errors: readonly InputError[];
  /** Why nothing can be changed; undefined if it can. */
  refusal: string | undefined;
}
const State = createContext<FormState | undefined>(undefined);

interface FormProps {
  edited: Edited;
  change: (edited: Edited) => void;
  /** The error of the last attempt to save. */
  error: Error | null;
  refusal: string | undefined;
  /** The path of the value in the request body. */
  at?: Path;
  children: ReactNode;
}

/** The fields inside edit parts of one JSON value. Each shows the API's validation errors for its part. */
export function JsonForm({ edited, change, error, refusal, at, children }: FormProps) {
  const errors = useMemo(() => {
    const all = error instanceof ApiError ? (error.problem.errors ?? []) : [];
    return at ? errorsAt(all, pointerOf(at)) : all;
  }, [error, at]);
  const state = useMemo(() => ({ edited, change, errors, refusal }), [edited, change, errors, refusal]);
  return <State value={state}>{children}</State>;
}

export function useForm(): FormState {
  const state = useContext(State);
  if (!state) throw new Error('A field must be inside a JsonForm.');
  return state;
}

export interface Field {
  id: string;
  value: Json | undefined;
  /** Input that cannot be parsed yet. */
  unread: string | undefined;
  errors: InputError[];
  refusal: string | undefined;
  set: (value: Json | undefined) => void;
  setUnread: (text: string) => void;
}

/** Where a field is in the value: its path, or the keys of it with dots between them. */
export type At = string | Path;
export const pathOf = (at: At): Path => (typeof at === 'string' ? at.split('.') : at);

export function useField(at: At): Field {
  const path = pathOf(at);
  const { edited, change, errors, refusal } = useForm();
  const id = useId();
  const pointer = pointerOf(path);
  return {
    id,
    value: valueAt(edited.value, path),
    unread: edited.unread[pointer],
    errors: errorsAt(errors, pointer),
    refusal,
    set: (value) => change(edit(edited, path, value)),
    setUnread: (text) => change(editUnread(edited, path, text)),
  };
}

interface FieldProps {
  label: string;
  help?: ReactNode;
  faults: FormFault[];
  children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean | undefined }) => ReactNode;
}

/** A label, a control, its help and its faults. */
export function LabelledField({ label, help, faults, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-notes`, 'aria-invalid': faults.length > 0 || undefined })}
      <div id={`${id}-notes`} className="small">
        {help && <div className="muted">{help}</div>}
        <Faults faults={faults} />
      </div>
    </div>
  );
}

const MAX_FAULTS = 20;
/** What is wrong with an input. @param isWithin whether faults inside it name their place */
export const Faults = ({ faults, isWithin }: { faults: readonly FormFault[]; isWithin?: boolean }) =>
  faults.slice(0, MAX_FAULTS).map(({ path, message }) => (
    <div key={`${path} ${message}`} className="field-error">
      {isWithin && path && <code className="given">{path} </code>}
      <UserText text={message} />
    </div>
  ));
