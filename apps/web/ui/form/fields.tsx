import { useState, type ReactNode } from 'react';
import { isNumber, numberSource, parseJson, toText, type Json } from '#lib/contracts/json/json';
import { JsonEditor } from '../json-editor/json-editor';
import { visible } from '../user-text';
import { numberOf } from './number-of';
import { type At, Faults, type Field, useField } from './json-form';

interface Labelled {
  path: At;
  label: string;
  /** An explanation of the field, in a sentence. */
  help?: ReactNode;
  /** The label is for screen readers: the head of a column shows it. */
  isInCell?: boolean;
}

interface FrameProps extends Omit<Labelled, 'path'> {
  field: Field;
  children: ReactNode;
}

/** Label, control, help and errors. */
const Frame = ({ field, label, help, isInCell, children }: FrameProps) => (
  <div className="field">
    {!isInCell && <label htmlFor={field.id}>{label}</label>}
    {children}
    <Notes field={field} help={help} />
  </div>
);

const notesOf = ({ id }: Field): string => `${id}-notes`;

const Notes = ({ field, help }: { field: Field; help?: ReactNode }) => (
  <div id={notesOf(field)} className="small">
    {help && <div className="muted">{help}</div>}
    <Faults faults={field.errors} isWithin />
  </div>
);

const attributesOf = (field: Field) => ({
  id: field.id,
  'aria-describedby': notesOf(field),
  'aria-invalid': field.errors.length > 0 || field.unread !== undefined || undefined,
});

interface TextProps extends Labelled {
  maxLength?: number;
  isRequired?: boolean;
  autoFocus?: boolean;
  /** The value of an empty field. Default: the field is left out. */
  whenEmpty?: Json;
}

interface LineProps extends TextProps {
  /** Default: any text. */
  type?: 'url';
  /** Which keys a touch screen offers. */
  inputMode?: 'numeric';
  /** How wide it is, in characters. */
  size?: number;
  /** What an empty field stands for, or an example. */
  placeholder?: string;
  /** Called with the input instead of setting the field. */
  onType?: (text: string) => void;
}

export function TextField({ path, label, help, isInCell, isRequired, whenEmpty, onType, ...input }: LineProps) {
  const field = useField(path);
  const type = (text: string): void => (onType ? onType(text) : field.set(text === '' ? whenEmpty : text));
  return (
    <Frame {...{ field, label, help, isInCell }}>
      <input
        {...attributesOf(field)}
        aria-label={isInCell ? label : undefined}
        type="text"
        dir="auto"
        {...input}
        autoComplete="off"
        required={isRequired}
        readOnly={field.refusal !== undefined}
        value={toText(field.value ?? '')}
        onChange={({ target }) => type(target.value)}
      />
    </Frame>
  );
}

interface LongTextProps extends TextProps {
  rows?: number;
  /** Written by machines: each letter has the same width, and no word is misspelt. */
  isCode?: boolean;
}

export function LongTextField({ path, label, help, maxLength, rows = 4, isCode = false, whenEmpty }: LongTextProps) {
  const field = useField(path);
  return (
    <Frame field={field} label={label} help={help}>
      <textarea
        {...attributesOf(field)}
        className={isCode ? 'code' : undefined}
        spellCheck={isCode ? false : undefined}
        rows={rows}
        maxLength={maxLength}
        dir="auto"
        readOnly={field.refusal !== undefined}
        value={toText(field.value ?? '')}
        onChange={({ target }) => field.set(target.value === '' ? whenEmpty : target.value)}
      />
    </Frame>
  );
}

/** Keeps the text of the number. Input that is not a number is also kept, but cannot be saved. */
export function NumberField({ path, label, help, isInCell }: Labelled) {
  const field = useField(path);
  const [typed, setTyped] = useState('');
  const type = (text: string): void => {
    setTyped(text);
    const number = numberOf(text);
    if (number === undefined && text.trim() !== '') field.setUnread(text);
    else field.set(number);
  };
  const value = isNumber(field.value) ? numberSource(field.value) : toText(field.value ?? '');
  const stored = numberOf(typed) !== undefined && Number(typed) === Number(value) ? typed : value;
  return (
    <Frame {...{ field, label, help, isInCell }}>
      <input
        {...attributesOf(field)}
        aria-label={isInCell ? label : undefined}
        type="text"
        inputMode="decimal"
        size={isInCell ? 6 : 10}
        autoComplete="off"
        readOnly={field.refusal !== undefined}
        value={field.unread ?? stored}
        onChange={({ target }) => type(target.value)}
      />
      {field.unread !== undefined && <span className="field-error small">This is not a number.</span>}
    </Frame>
  );
}

type Option = readonly [value: string, words: string];
interface Choice extends Labelled {
  /** Values with their labels, some of them in groups. An empty value is none. */
  options: readonly (Option | { group: string; options: readonly Option[] })[];
  /** The label of no choice, which can be made again. */
  none?: string;
  /** The value of no choice. Default: the field is left out. */
  whenEmpty?: Json;
  /** The words for a value that is not among the options. */
  unlisted?: string;
  isDisabled?: boolean;
  /** What is chosen, where it is not the value itself. */
  value?: string;
  /** Called with the choice instead of setting the field. */
  onChoose?: (value: string) => void;
  /** Whether a field at the same place shows its errors. */
  isErrorElsewhere?: boolean;
  /** How wide the control may become. */
  className?: 'bounded';
  /** Shown after the control. */
  children?: ReactNode;
}

export function ChoiceField({ path, label, help, options, none, whenEmpty, isDisabled, children, ...of }: Choice) {
  const at = useField(path);
  const field = of.isErrorElsewhere ? { ...at, errors: [] } : at;
  const value = of.value ?? toText(field.value ?? '');
  const choose = of.onChoose ?? ((chosen: string) => field.set(chosen === '' ? whenEmpty : chosen));
  const listed = options.flatMap((one) => ('group' in one ? one.options : [one]));
  const isListed = listed.some(([known]) => known === value) || (value === '' && none !== undefined);
  const select = (
    <select
      {...attributesOf(field)}
      className={of.className}
      disabled={isDisabled || field.refusal !== undefined}
      title={field.refusal}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {!isListed && <option value={value}>{of.unlisted ?? (visible(value.slice(0, MAX_WORDS)) || 'choose')}</option>}
      {options.map((one) =>
        'group' in one ? (
          <optgroup key={one.group} label={visible(one.group)}>
            {one.options.map(asOption)}
          </optgroup>
        ) : (
          asOption(one)
        ),
      )}
    </select>
  );
  return (
    <Frame field={field} label={label} help={help}>
      {children !== undefined ? (
        <div className="actions">
          {select}
          {children}
        </div>
      ) : (
        select
      )}
    </Frame>
  );
}

const MAX_WORDS = 300;
const asOption = ([value, words]: Option) => (
  <option key={value} value={value}>
    {visible(words)}
  </option>
);

interface Check extends Labelled {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A checkbox for something that is not a plain boolean in the value. */
export function CheckField({ path, label, help, checked, onChange }: Check) {
  const field = useField(path);
  return (
    <div className="field">
      <label className="check" htmlFor={field.id}>
        <input
          {...attributesOf(field)}
          type="checkbox"
          disabled={field.refusal !== undefined}
          title={field.refusal}
          checked={checked}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
      <Notes field={field} help={help} />
    </div>
  );
}

interface Flag extends Labelled {
  /** What a missing value means. */
  absent?: boolean;
  /** Whether it is left out where it is as if missing. */
  isOmitted?: boolean;
}

/** A boolean. */
export function FlagField({ absent = false, isOmitted = false, ...labelled }: Flag) {
  const { value, set } = useField(labelled.path);
  const change = (checked: boolean): void => set(isOmitted && checked === absent ? undefined : checked);
  return <CheckField {...labelled} checked={value == null ? absent : value === true} onChange={change} />;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A list of texts, one per line. */
export function LinesField({ path, label, help, rows = 2 }: Labelled & { rows?: number }) {
  const field = useField(path);
  const list = Array.isArray(field.value) ? field.value.map((item) => toText(item)) : [];
  const [typed, setTyped] = useState('');
  const isTyped = linesOf(typed).join('\n') === list.join('\n');
  return (
    <Frame field={field} label={label} help={help}>
      <textarea
        {...attributesOf(field)}
        rows={rows}
        readOnly={field.refusal !== undefined}
        value={isTyped ? typed : list.join('\n')}
        onChange={({ target }) => {
          setTyped(target.value);
          const lines = linesOf(target.value);
          field.set(lines.length > 0 ? lines : undefined);
        }}
      />
    </Frame>
  );
}

interface JsonFieldProps extends Labelled {
  /** Whether an empty editor omits the field. */
  isOptional?: boolean;
  rows?: number;
  /** Where the label is not visible. */
  isLabelHidden?: boolean;
}

export function JsonField({ path, label, help, isOptional = false, rows, isLabelHidden }: JsonFieldProps) {
  const field = useField(path);
  return (
    <div className="field">
      <span className={isLabelHidden ? 'unseen' : 'label'}>{label}</span>
      <JsonEditor
        label={label}
        value={field.value}
        unread={field.unread}
        errors={field.errors}
        isReadOnly={field.refusal !== undefined}
        isOptional={isOptional}
        rows={rows}
        describedBy={notesOf(field)}
        onValue={field.set}
        onUnread={field.setUnread}
      />
      <Notes field={field} help={help} />
    </div>
  );
}

interface JsonTextProps extends Labelled {
  rows?: number;
  /** Spaces before the lines of an inner value. Default: the value is on one line. */
  indent?: number;
  /** Whether text that is not JSON is a value too: a string. */
  isTextToo?: boolean;
  /** An example. */
  placeholder?: string;
}

/** JSON in a plain text area, for short values. Empty: the field is left out. */
export function JsonTextField({ path, label, help, rows = 3, indent, isTextToo = false, placeholder }: JsonTextProps) {
  const field = useField(path);
  const [typed, setTyped] = useState<{ text: string; value?: Json }>({ text: '' });
  const type = (text: string): void => {
    const value = text.trim() === '' ? undefined : (jsonOf(text) ?? (isTextToo ? text : undefined));
    if (value === undefined && text.trim() !== '') return field.setUnread(text);
    setTyped({ text, value });
    field.set(value);
  };
  const { value } = field;
  const stored = typeof value === 'object' && value !== null ? JSON.stringify(value, null, indent) : toText(value);
  return (
    <Frame field={field} label={label} help={help}>
      <textarea
        {...attributesOf(field)}
        rows={rows}
        className="code"
        spellCheck={false}
        placeholder={placeholder}
        readOnly={field.refusal !== undefined}
        value={field.unread ?? (typed.value === value ? typed.text : stored)}
        onChange={({ target }) => type(target.value)}
      />
    </Frame>
  );
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
