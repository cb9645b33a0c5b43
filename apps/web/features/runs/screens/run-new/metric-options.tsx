import { useState } from 'react';
import { isObject, parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { UserText } from '../../../../ui/user-text';
import { Faults, LabelledField } from '../../../../ui/form/labelled-field';
import type { FormFault } from '../../../../ui/form/form-request';
import { SelectField, TypedField } from '../../../../ui/form/typed-field';
import { numberOrText } from '../../../../ui/form/form-request';
import { optionKind } from './run-metrics';

interface Props {
  /** The JSON Schema of the options. */
  schema: JsonObject;
  options: JsonObject;
  change: (options: JsonObject) => void;
  /** The faults of an option, by its name. */
  faultsAt: (name: string) => FormFault[];
}

/** The options of a metric, each with the control for its schema. An unset option has its default. */
export function MetricOptions({ schema, options, change, faultsAt }: Props) {
  const known = isObject(schema.properties) ? schema.properties : {};
  const set = (name: string, value: Json | undefined): void => {
    const { [name]: _before, ...rest } = options;
    change(value === undefined ? rest : { ...rest, [name]: value });
  };
  return Object.entries(known).map(([name, of]) => (
    <Option
      key={name}
      name={name}
      schema={isObject(of) ? of : {}}
      value={options[name]}
      set={(value) => set(name, value)}
      faults={faultsAt(name)}
    />
  ));
}

interface OptionProps {
  name: string;
  schema: JsonObject;
  value: Json | undefined;
  set: (value: Json | undefined) => void;
  faults: FormFault[];
}

function Option({ name, schema, value, set, faults }: OptionProps) {
  const of = optionKind(schema);
  const common = { label: name, help: toText(schema.description ?? ''), faults };
  const otherwise = `default: ${toText(schema.default ?? 'none')}`;
  if (of.kind === 'several')
    return <Several {...common} values={of.values} chosen={value ?? schema.default} set={set} />;
  if (of.kind === 'number') return <NumberOption {...common} value={value} set={set} otherwise={otherwise} />;
  if (of.kind === 'json') return <JsonOption {...common} value={value} set={set} />;
  const values = of.kind === 'boolean' ? ['true', 'false'] : of.values;
  return (
    <SelectField
      {...common}
      value={value === undefined ? '' : toText(value)}
      change={(text) => set(text === '' ? undefined : of.kind === 'boolean' ? text === 'true' : text)}
      options={[['', otherwise], ...values.map((one) => [one, one] as const)]}
    />
  );
}

interface Common {
  label: string;
  help: string;
  faults: FormFault[];
  set: (value: Json | undefined) => void;
}

/** Keeps the typed text, such as "0.", while its value equals that of the option. */
function NumberOption({
  value,
  set,
  help,
  otherwise,
  ...common
}: Common & { value: Json | undefined; otherwise: string }) {
  const [typed, setTyped] = useState('');
  const stored = value === undefined ? '' : toText(value);
  const isTyped = toText(numberOrText(typed) ?? '') === stored;
  return (
    <TypedField
      {...common}
      help={`${help} (${otherwise})`}
      mode="decimal"
      value={isTyped ? typed : stored}
      change={(text) => {
        setTyped(text);
        set(numberOrText(text));
      }}
    />
  );
}

function Several({
  label,
  help,
  faults,
  values,
  chosen,
  set,
}: Common & { values: string[]; chosen: Json | undefined }) {
  const list = Array.isArray(chosen) ? chosen.map((one) => toText(one)) : [];
  const choose = (one: string, isOn: boolean): void => {
    const next = values.filter((other) => (other === one ? isOn : list.includes(other)));
    set(next.length > 0 ? next : undefined);
  };
  return (
    <div className="field" role="group" aria-label={label}>
      <span className="label">{label}</span>
      {values.map((one) => (
        <label key={one} className="check">
          <input type="checkbox" checked={list.includes(one)} onChange={({ target }) => choose(one, target.checked)} />
          {one}
        </label>
      ))}
      <div className="small">
        <div className="muted">
          <UserText text={help} />
        </div>
        <Faults faults={faults} />
      </div>
    </div>
  );
}

/** For options without a control. Invalid JSON is sent as a string: the API reports the fault. */
function JsonOption({ label, help, faults, value, set }: Common & { value: Json | undefined }) {
  const [typed, setTyped] = useState<string>();
  const stored = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <LabelledField label={`${label}, as JSON`} help={help} faults={faults}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={2}
          className="code"
          spellCheck={false}
          value={typed ?? stored}
          onChange={({ target }) => {
            setTyped(target.value);
            set(target.value.trim() === '' ? undefined : readOr(target.value));
          }}
        />
      )}
    </LabelledField>
  );
}

function readOr(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
