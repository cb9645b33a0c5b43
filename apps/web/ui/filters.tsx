import { type ReactNode, useId, useState } from 'react';
import { Combobox, type Lookup } from './combobox';
import css from './filters.module.css';
import { visible } from './user-text';

/** The filters of a list, in a row. */
export const FilterBar = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={css.filters} role="search" aria-label={label}>
    {children}
  </div>
);

interface PickProps {
  label: string;
  value: string | undefined;
  /** The name of the chosen value. */
  chosen: string;
  lookup: Lookup;
  /** The label of no choice. */
  none?: string;
  choose: (value: string | undefined) => void;
}

/** A filter by one of many values, which typing finds. */
export function PickFilter({ label, value = '', none = 'all', choose, ...combobox }: PickProps) {
  const id = useId();
  return (
    <span className="actions">
      <label htmlFor={id}>{label}</label>
      <Combobox
        {...{ ...combobox, label, value, none }}
        choose={(chosen) => choose(chosen || undefined)}
        attributes={{ id, 'data-filter': true }}
      />
    </span>
  );
}

interface DayProps {
  label: string;
  value: string | undefined;
  choose: (day: string | undefined) => void;
}

/** A filter by a day. */
export const DayFilter = ({ label, value, choose }: DayProps) => (
  <label>
    {label} <input type="date" value={value ?? ''} onChange={({ target }) => choose(target.value || undefined)} />
  </label>
);

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
