import { useId, useState } from 'react';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { edit, errorsAt, pointerOf, type Path } from '../../../../ui/form/edited';
import { ChoiceField, NumberField } from '../../../../ui/form/fields';
import { Faults, useField, useForm } from '../../../../ui/form/json-form';
import { JsonEditor } from '../../../../ui/json-editor/json-editor';
import {
  faultOfRows,
  KINDS,
  kindOf,
  ofKind,
  readValues,
  renamed,
  rowsIn,
  SUGGESTED_NAMES,
  toRows,
  toSpace,
  valuesOf,
  valuesText,
  withRow,
  type Kind,
  type Row,
} from './space-value';
import css from '../tunes.module.css';

/** A search space as rows or as JSON. Both edit the same value. */
export function SpaceEditor({ path, label }: { path: Path; label: string }) {
  const field = useField(path);
  const { errors } = useForm();
  const [isAsked, setAsked] = useState(field.unread !== undefined);
  const pointer = pointerOf(path);
  // Rows cannot show invalid JSON, and an object cannot have two parameters of one name.
  const fault = faultOfRows(field.value);
  const isJson = field.unread !== undefined || (isAsked && fault === undefined);
  const ofSpace = errorsAt(errors, pointer);
  return (
    <>
      <div className={`actions ${css.views}`} role="group" aria-label={`Show ${label} as`}>
        <button type="button" className="dense" aria-pressed={!isJson} onClick={() => setAsked(false)}>
          Rows
        </button>
        <button
          type="button"
          className="dense"
          aria-pressed={isJson}
          disabled={fault !== undefined}
          title={fault}
          onClick={() => setAsked(true)}
        >
          JSON
        </button>
      </div>
      {isJson ? (
        <JsonEditor
          label={`${label} as JSON`}
          value={field.unread === undefined ? toSpace(field.value) : undefined}
          unread={field.unread}
          errors={ofSpace}
          isReadOnly={field.refusal !== undefined}
          rows={8}
          onValue={(space) => (isObject(space) ? field.set(toRows(space)) : field.setUnread(JSON.stringify(space)))}
          onUnread={field.setUnread}
        />
      ) : (
        <SpaceRows path={path} />
      )}
      <div className="small">
        {fault && <div className="field-error">{fault}</div>}
        <Faults faults={ofSpace.filter((error) => isJson || error.path === '')} />
      </div>
    </>
  );
}

/** The parameters of a search space with their values, one per row. */
function SpaceRows({ path }: { path: Path }) {
  const { value, refusal, set } = useField(path);
  const rows = rowsIn(value);
  return (
    <>
      {rows.map((row, n) => (
        <SpaceRow key={row.id} path={path} row={row} number={n + 1} />
      ))}
      {rows.length === 0 && <p className="muted">No parameters yet.</p>}
      <div className="actions">
        <button type="button" disabled={refusal !== undefined} title={refusal} onClick={() => set(withRow(value))}>
          Add a parameter
        </button>
      </div>
    </>
  );
}

function SpaceRow({ path, row, number }: { path: Path; row: Row; number: number }) {
  const { edited, change, errors, refusal } = useForm();
  const id = useId();
  const at = [...path, row.id];
  const set = (next: Parameters<typeof edit>[2]): void => change(edit(edited, at, next));
  const faults = errorsAt(errors, pointerOf([...path, row.name]));
  const kind = kindOf(row.axis);
  return (
    <div className={css.parameter} role="group" aria-label={`Parameter ${number}`}>
      <div className="in-row">
        <NameField row={row} set={set} isWrong={faults.length > 0} notesId={`${id}-faults`} />
        <ChoiceField
          path={[...at, 'axis']}
          label="Value type"
          options={KINDS}
          value={kind}
          onChoose={(chosen) => set({ name: row.name, axis: ofKind(row.axis, chosen as Kind) })}
        />
        <AxisFields path={[...at, 'axis']} kind={kind} />
        <button
          type="button"
          className={`plain ${css.removes}`}
          disabled={refusal !== undefined}
          title={refusal ?? 'Remove'}
          aria-label={`Remove ${row.name.slice(0, 100) || `parameter ${number}`}`}
          onClick={() => set(undefined)}
        >
          <span aria-hidden="true">×</span>
        </button>
      </div>
      <div id={`${id}-faults`} className="small">
        <Faults faults={faults} />
      </div>
    </div>
  );
}

function AxisFields({ path, kind }: { path: Path; kind: Kind }) {
  if (kind === 'list') return <ValuesField path={path} label="Values" />;
  const last = kind === 'step' ? 'step' : 'levels';
  return (
    <>
      <NumberField path={[...path, 'min']} label="From" />
      <NumberField path={[...path, 'max']} label="To" />
      <NumberField path={[...path, last]} label={last === 'step' ? 'Step' : 'Levels'} />
    </>
  );
}

interface NameProps {
  row: Row;
  set: (row: JsonObject) => void;
  isWrong: boolean;
  notesId: string;
}

function NameField({ row, set, isWrong, notesId }: NameProps) {
  const { refusal } = useForm();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Parameter</label>
      <input
        id={id}
        list={`${id}-names`}
        size={12}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        readOnly={refusal !== undefined}
        aria-describedby={notesId}
        aria-invalid={isWrong || undefined}
        value={row.name}
        onChange={({ target }) => set(renamed(row, target.value))}
      />
      <datalist id={`${id}-names`}>
        {SUGGESTED_NAMES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

/** Values separated by commas. The typed text is kept while it means the same. */
function ValuesField({ path, label }: { path: Path; label: string }) {
  const field = useField(path);
  const values = valuesOf(field.value);
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(readValues(typed)) === JSON.stringify(values);
  return (
    <div className={`field ${css.values}`}>
      <label htmlFor={field.id}>{label}</label>
      <input
        id={field.id}
        type="text"
        autoComplete="off"
        placeholder="0, 0.5, 1"
        readOnly={field.refusal !== undefined}
        value={isTyped ? typed : valuesText(values)}
        onChange={({ target }) => {
          setTyped(target.value);
          field.set(readValues(target.value));
        }}
      />
    </div>
  );
}
