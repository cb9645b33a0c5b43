import { type ReactNode, useState } from 'react';
import { visible } from './user-text';

interface FilterChoiceProps {
  label: string;
  /** The options and their labels, in list order. */
  choices: readonly (readonly [value: string, words: string])[];
  /** The label of no choice. */
  none?: string;
  value: string | undefined;
  choose: (value: string | undefined) => void;
}

/** A filter of a list. A value that is not among the choices is shown unchanged. */
export function FilterChoice({ label, choices, none = 'any', value, choose }: FilterChoiceProps) {
  const isListed = choices.some(([one]) => one === value);
  return (
    <label>
      {label}{' '}
      <select
        data-filter
        className="bounded"
        value={value ?? ''}
        onChange={({ target }) => choose(target.value || undefined)}
      >
        <option value="">{none}</option>
        {value !== undefined && !isListed && <option value={value}>{visible(value)}</option>}
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Filters a list; the key `/` moves the focus here. */
export function TextFilter({ label, text, change }: { label: string; text: string; change: (text: string) => void }) {
  return (
    <label className="field filter">
      <span className="label">{label}</span>
      <input data-filter type="search" maxLength={200} value={text} onChange={({ target }) => change(target.value)} />
    </label>
  );
}

interface Props {
  label: string;
  value: string | undefined;
  choose: (value: string | undefined) => void;
  maxLength: number;
  /** The id of a list of suggestions, which is a child. */
  list?: string;
  children?: ReactNode;
}

/** A filter by a typed text, applied with Enter and on leaving the field. */
export function TypedFilter({ label, value, choose, maxLength, list, children }: Props) {
  const [text, setText] = useState(value ?? '');
  const [applied, setApplied] = useState(value);
  if (value !== applied) {
    setApplied(value);
    setText(value ?? '');
  }
  const apply = (): void => {
    const next = text.trim() || undefined;
    if (next !== value) choose(next);
  };
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label>
        {label}{' '}
        <input
          data-filter
          list={list}
          value={text}
          maxLength={maxLength}
          placeholder="any"
          onChange={({ target }) => setText(target.value)}
          onBlur={apply}
        />
      </label>
      {children}
    </form>
  );
}
