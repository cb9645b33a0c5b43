import { useState, type ChangeEvent } from 'react';
import { parseJson, toText, type Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { visible } from '../../../ui/user-text';
import type { ArgumentKind } from './argument-rows';
import { SPELLINGS, writeFree } from './argument-spelling';
import css from './expectation.module.css';

interface ValueProps {
  kind: ArgumentKind;
  /** Undefined: not checked. */
  value: Json | undefined;
  /** The values of a choice. */
  choices?: readonly Json[];
  /** Input that is not a value of its kind yet. */
  unread: string | undefined;
  isReadOnly: boolean;
  set: (value: Json | undefined) => void;
  setUnread: (text: string) => void;
  attributes: {
    id: string;
    'aria-label': string;
    'aria-describedby': string;
    'aria-invalid': boolean | undefined;
    placeholder: string;
    title: string | undefined;
  };
}

const INPUTS: Record<ArgumentKind, (props: ValueProps) => React.JSX.Element> = {
  text: TextInput,
  number: TypedInput,
  boolean: SelectInput,
  choice: SelectInput,
  texts: TypedInput,
  numbers: TypedInput,
  json: TypedInput,
  free: TypedInput,
};

/** The value of an argument, typed in a field of its kind. Empty: not checked. */
export function ArgumentValue(props: ValueProps) {
  const Input = INPUTS[props.kind];
  return <Input key={props.kind} {...props} />;
}

function TextInput({ value, isReadOnly, set, attributes }: ValueProps) {
  const text = toText(value ?? '');
  // A line of text would lose its line breaks; the element stays while it has the focus.
  const [isLong] = useState(text.length > MAX_LINE || /[\r\n]/.test(text));
  const Control = isLong ? 'textarea' : 'input';
  const placeholder = value === '' ? 'empty text' : attributes.placeholder;
  const onChange = ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
    set(target.value || undefined);
  return (
    <Control
      {...attributes}
      {...{ placeholder, onChange }}
      {...(isLong ? { rows: 2 } : { type: 'text' })}
      dir="auto"
      autoComplete="off"
      readOnly={isReadOnly}
      value={text}
    />
  );
}
const MAX_LINE = 200;

/** Numbers, lists and JSON: the text stays as it was typed. */
function TypedInput({ kind, value, unread, isReadOnly, set, setUnread, attributes }: ValueProps) {
  const { write, read, isLine } = SPELLINGS[kind as keyof typeof SPELLINGS];
  const [typed, setTyped] = useState<{ text: string; value: Json | undefined }>({ text: '', value: undefined });
  const type = (text: string): void => {
    const next = text.trim() === '' ? undefined : read(text);
    setTyped({ text, value: next });
    if (next === undefined && text.trim() !== '') setUnread(text);
    else set(next);
  };
  const isSame = value !== undefined && typed.value !== undefined && isEqual(typed.value, value);
  const shown = unread ?? (isSame ? typed.text : value === undefined ? '' : write(value));
  const Control = isLine ? 'input' : 'textarea';
  return (
    <Control
      {...attributes}
      {...(isLine ? { type: 'text', inputMode: 'decimal' } : { rows: Math.min(MAX_ROWS, shown.split('\n').length) })}
      dir={kind === 'texts' ? 'auto' : undefined}
      className={kind === 'texts' ? undefined : 'code'}
      spellCheck={false}
      autoComplete="off"
      readOnly={isReadOnly}
      value={shown}
      onChange={({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => type(target.value)}
    />
  );
}
const MAX_ROWS = 8;
const isEqual = (a: Json, b: Json): boolean => a === b || stringifyInSourceOrder(a) === stringifyInSourceOrder(b);

function SelectInput({ kind, value, choices = [], isReadOnly, set, attributes }: ValueProps) {
  const { placeholder, ...others } = attributes;
  const listed = kind === 'boolean' ? [true, false] : choices;
  const all = value === undefined || listed.some((one) => isEqual(one, value)) ? listed : [...listed, value];
  return (
    <select
      {...others}
      disabled={isReadOnly}
      value={value === undefined ? '' : stringifyInSourceOrder(value)}
      onChange={({ target }) => set(target.value === '' ? undefined : parseJson(target.value))}
    >
      <option value="">{placeholder}</option>
      {all.map((one) => {
        const text = stringifyInSourceOrder(one);
        return (
          <option key={text} value={text}>
            {visible(writeFree(one).slice(0, MAX_LINE))}
          </option>
        );
      })}
    </select>
  );
}

interface AnyOfProps {
  label: string;
  choices: readonly Json[];
  value: Json | undefined;
  isReadOnly: boolean;
  set: (value: Json | undefined) => void;
}

/** Several of the values of a choice. */
export function AnyOfChoices({ label, choices, value, isReadOnly, set }: AnyOfProps) {
  const chosen = Array.isArray(value) ? value : [];
  const all = [...choices, ...chosen.filter((one) => !choices.some((known) => isEqual(known, one)))];
  const choose = (one: Json, isOn: boolean): void => {
    const next = isOn ? [...chosen, one] : chosen.filter((other) => !isEqual(other, one));
    set(next.length > 0 ? next : undefined);
  };
  return (
    <div role="group" aria-label={label} className={css.anyOf}>
      {all.map((one) => (
        <label key={stringifyInSourceOrder(one)} className="check">
          <input
            type="checkbox"
            disabled={isReadOnly}
            checked={chosen.some((other) => isEqual(other, one))}
            onChange={({ target }) => choose(one, target.checked)}
          />
          <bdi className="given">{visible(writeFree(one).slice(0, MAX_LINE))}</bdi>
        </label>
      ))}
    </div>
  );
}
