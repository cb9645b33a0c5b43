import { useRef } from 'react';
import { errorsAt } from '../../../ui/form/edited';
import { Faults, LabelledField, useForm } from '../../../ui/form/json-form';
import { Icon, X } from '../../../ui/icons';
import { visible } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { headersOf, isStoredHeader, type HeaderRow } from './access-value';
import type { AccessProps } from './key-fields';

const MAX_HEADERS = 20;

/** Headers that an endpoint wants with each request. Their values are sent once and never shown again. */
export function HeaderFields({ stored, access, changeAccess }: AccessProps) {
  const { errors, refusal } = useForm();
  const nextId = useRef(MAX_HEADERS);
  const rows = headersOf(access, stored);
  const set = (headers: readonly HeaderRow[]): void => changeAccess({ ...access, headers });
  const add = (): void => set([...rows, { id: nextId.current++, name: '', kind: 'secret', value: '' }]);
  return (
    <fieldset>
      <legend>Headers</legend>
      <p className="muted small">
        For a gateway that wants more than a key. The value of a <b>routing</b> header leads to another account or
        model: providers with different values share no limits and no cached replies. For a <b>secret</b> one, only its
        name counts.
      </p>
      <Faults faults={errors.filter(({ path }) => path === '/headers')} />
      {rows.map((row, index) => (
        <HeaderFieldsOf
          key={row.id}
          {...{ row, index, refusal }}
          isStored={isStoredHeader(row.name, stored)}
          change={(changed) => set(rows.with(index, { ...row, ...changed }))}
          remove={() => set(rows.toSpliced(index, 1))}
        />
      ))}
      <div>
        <button
          type="button"
          disabled={refusal !== undefined || rows.length >= MAX_HEADERS}
          title={refusal}
          onClick={add}
        >
          Add a header
        </button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  row: HeaderRow;
  index: number;
  refusal: string | undefined;
  /** Whether a value of this name is stored. */
  isStored: boolean;
  change: (changed: Partial<HeaderRow>) => void;
  remove: () => void;
}

function HeaderFieldsOf({ row: { name, kind, value }, index, refusal, isStored, change, remove }: RowProps) {
  const { errors } = useForm();
  const faultsOf = (field: string) => errorsAt(errors, `/headers/${index}/${field}`);
  const label = visible(name.slice(0, 100)) || 'the new header';
  const isReadOnly = refusal !== undefined;
  return (
    <div role="group" aria-label={`Header ${label}`} className={css.header}>
      <LabelledField
        label="Header"
        faults={[...errors.filter(({ path }) => path === `/headers/${index}`), ...faultsOf('name')]}
      >
        {(attributes) => (
          <input
            {...{ ...attributes, ...LINE, readOnly: isReadOnly, value: name }}
            type="text"
            maxLength={100}
            required
            autoFocus={name === '' && !isStored}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label="Kind" faults={faultsOf('kind')}>
        {(attributes) => (
          <select
            {...{ ...attributes, disabled: isReadOnly, title: refusal, value: kind }}
            onChange={({ target }) => change({ kind: target.value as HeaderRow['kind'] })}
          >
            <option value="secret">secret</option>
            <option value="routing">routing</option>
          </select>
        )}
      </LabelledField>
      <LabelledField label="Value" faults={faultsOf('value')}>
        {(attributes) => (
          <input
            {...{ ...attributes, ...LINE, readOnly: isReadOnly, value }}
            type={kind === 'secret' ? 'password' : 'text'}
            maxLength={4096}
            required={!isStored}
            placeholder={isStored ? 'Set; enter another to replace it' : ''}
            onChange={({ target }) => change({ value: target.value })}
          />
        )}
      </LabelledField>
      <button {...{ disabled: isReadOnly, title: refusal }} type="button" className="plain" onClick={remove}>
        <Icon of={X} />
        <span className="unseen">Remove {label}</span>
      </button>
    </div>
  );
}

const LINE = { autoComplete: 'off', spellCheck: false } as const;
