import { useId } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { edit, errorsAt, pointerOf, type Path } from '../../../../ui/form/edited';
import { NumberField } from '../../../../ui/form/fields';
import { useField, useForm } from '../../../../ui/form/json-form';
import { Faults } from '../../../../ui/form/labelled-field';
import { KINDS, kindOf, ofKind, renamed, rowsIn, SUGGESTED_NAMES, withRow, type Kind, type Row } from './space-value';
import { ValuesField } from './values-field';

/** The parameters of a search space with their values, one per row. */
export function SpaceRows({ path }: { path: Path }) {
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

interface RowProps {
  path: Path;
  row: Row;
  number: number;
}

function SpaceRow({ path, row, number }: RowProps) {
  const { edited, change, errors, refusal } = useForm();
  const id = useId();
  const at = [...path, row.id];
  const set = (next: Parameters<typeof edit>[2]): void => change(edit(edited, at, next));
  const faults = errorsAt(errors, pointerOf([...path, row.name]));
  const isLocked = refusal !== undefined;
  return (
    <div className="space-row" role="group" aria-label={`Parameter ${number}`}>
      <div className="in-row">
        <NameField row={row} set={set} isWrong={faults.length > 0} notesId={`${id}-faults`} />
        <div className="field">
          <label htmlFor={`${id}-kind`}>Value type</label>
          <select
            id={`${id}-kind`}
            disabled={isLocked}
            value={kindOf(row.axis)}
            onChange={({ target }) => set({ name: row.name, axis: ofKind(row.axis, target.value as Kind) })}
          >
            {KINDS.map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </div>
        <AxisFields path={[...at, 'axis']} kind={kindOf(row.axis)} />
        <button
          type="button"
          className="plain removes"
          disabled={isLocked}
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
  return (
    <>
      <NumberField path={[...path, 'min']} label="From" />
      <NumberField path={[...path, 'max']} label="To" />
      {kind === 'step' ? (
        <NumberField path={[...path, 'step']} label="Step" />
      ) : (
        <NumberField path={[...path, 'levels']} label="Levels" />
      )}
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
