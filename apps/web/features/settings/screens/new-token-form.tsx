import { useId, useState, type FormEvent } from 'react';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { ApiError } from '#lib/client/api-client';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { createToken, type NewToken } from '../api';
import { ErrorNotice } from '../../../ui/error-notice';
import { Secret } from '../../../ui/secret';
import { LabelledField } from '../../../ui/form/labelled-field';
import type { FormFault } from '../../../ui/form/form-request';
import { submitOnCtrlEnter } from '../../../ui/submit-keys';
import { EXPIRIES, expiryOf, type Expiry } from './expiry';

const MAX_NAME = 100;
const EMPTY = { name: '', role: 'viewer' as Role, user: '', expiry: 'never' as Expiry };
type Form = typeof EMPTY;

/** Creates a token. Its secret is shown once. */
export function NewTokenForm() {
  const titleId = useId();
  const [form, setForm] = useState(EMPTY);
  const [made, setMade] = useState<NewToken>();
  const make = useAction(createToken, async (token) => {
    setMade(token);
    setForm((before) => ({ ...before, name: '', user: '' }));
    make.reset();
    await queryClient.invalidateQueries({ queryKey: keys.tokens });
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (make.isPending) return;
    const { name, role, user, expiry } = form;
    const ofUser = user.trim();
    make.mutate({ name, role, ...(ofUser !== '' && { user: ofUser }), expires_at: expiryOf(expiry, new Date()) });
  };
  const errors = make.error instanceof ApiError ? (make.error.problem.errors ?? []) : [];
  const faultsAt = (path: string) => errors.filter((fault) => fault.path === path);
  const set = (part: Partial<Form>): void => setForm((before) => ({ ...before, ...part }));
  return (
    <section aria-labelledby={titleId} className="section">
      <h2 id={titleId}>New token</h2>
      {made && <Secret key={made.id} title={`Token ${made.name}`} token={made.token} done={() => setMade(undefined)} />}
      <form className="fields" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <TokenFields form={form} set={set} faultsAt={faultsAt} />
        {make.isError && <ErrorNotice error={make.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={make.isPending} title="Ctrl+Enter">
            Create token
          </button>
        </div>
      </form>
    </section>
  );
}

interface FieldsProps {
  form: Form;
  set: (part: Partial<Form>) => void;
  faultsAt: (path: string) => FormFault[];
}

function TokenFields({ form, set, faultsAt }: FieldsProps) {
  return (
    <>
      <LabelledField label="Purpose" faults={faultsAt('/name')}>
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={MAX_NAME}
            autoComplete="off"
            value={form.name}
            onChange={({ target }) => set({ name: target.value })}
          />
        )}
      </LabelledField>
      <div className="token-fields">
        <LabelledField label="Role" faults={faultsAt('/role')}>
          {(attributes) => (
            <select {...attributes} value={form.role} onChange={({ target }) => set({ role: target.value as Role })}>
              {ROLES.map((role) => (
                <option key={role}>{role}</option>
              ))}
            </select>
          )}
        </LabelledField>
        <LabelledField label="User" help="Empty: you. A new name creates a user." faults={faultsAt('/user')}>
          {(attributes) => (
            <input
              {...attributes}
              maxLength={MAX_NAME}
              autoComplete="off"
              value={form.user}
              onChange={({ target }) => set({ user: target.value })}
            />
          )}
        </LabelledField>
        <LabelledField label="Expires" faults={faultsAt('/expires_at')}>
          {(attributes) => (
            <select
              {...attributes}
              value={form.expiry}
              onChange={({ target }) => set({ expiry: target.value as Expiry })}
            >
              {Object.entries(EXPIRIES).map(([key, { words }]) => (
                <option key={key} value={key}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </LabelledField>
      </div>
    </>
  );
}
