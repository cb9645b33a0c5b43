import { useState, type ReactNode } from 'react';

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
