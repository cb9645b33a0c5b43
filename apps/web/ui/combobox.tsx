import { keepPreviousData, useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { Page } from '#lib/contracts/page';
import css from './combobox.module.css';
import { useDebounced } from './debounced';
import { Icon, X } from './icons';
import { ErrorNotice } from './notices';
import { visible } from './user-text';

export interface Option {
  value: string;
  name: string;
  /** A second line, such as a score and a date. */
  detail?: ReactNode;
}

/** What a combobox offers for the typed text. */
export interface Lookup {
  /** Undefined while its list is closed. */
  text: string | undefined;
  setText: (text: string | undefined) => void;
  options: Option[];
  /** Whether there are options beyond those listed. */
  isMore: boolean;
  isLooking: boolean;
  error: Error | null;
  retry?: () => unknown;
}

const contains = (name: string, text: string | undefined): boolean =>
  name.toLowerCase().includes((text ?? '').trim().toLowerCase());

/** Asks the server for options while the list is open, after a short pause in typing. */
export function useLookup<Row, Key extends QueryKey>(
  queryOf: (text: string) => UseQueryOptions<Page<Row>, Error, Page<Row>, Key>,
  optionOf: (row: Row) => Option,
): Lookup {
  const [text, setText] = useState<string>();
  const settled = useDebounced((text ?? '').trim());
  const { data, isFetching, isPlaceholderData, error, refetch } = useQuery({
    ...queryOf(settled),
    enabled: text !== undefined,
    placeholderData: keepPreviousData,
  });
  const isAnswer = !isPlaceholderData && settled === text?.trim();
  return {
    text,
    setText,
    // Those found for an earlier text may fit as well.
    options: (data?.items ?? []).map(optionOf).filter(({ name }) => isAnswer || contains(name, text)),
    isMore: data !== undefined && data.next_cursor !== null,
    isLooking: text !== undefined && (isFetching || settled !== text.trim()),
    error,
    retry: refetch,
  };
}

const MAX_LISTED = 100;

/** Looks among options that are known already. */
export function useKnown(options: readonly Option[]): Lookup {
  const [text, setText] = useState<string>();
  const found = options.filter(({ value, name }) => contains(name, text) || contains(value, text));
  return {
    text,
    setText,
    options: found.slice(0, MAX_LISTED),
    isMore: found.length > MAX_LISTED,
    isLooking: false,
    error: null,
  };
}

export interface ComboboxProps {
  lookup: Lookup;
  /** What it chooses: "Suite". */
  label: string;
  value: string;
  /** The name of the chosen value. */
  chosen: string;
  /** The label of no choice, which can be made again. */
  none?: string;
  choose: (value: string) => void;
  refusal?: string;
  isDisabled?: boolean;
  /** Attributes of its input. */
  attributes?: { id?: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean; 'data-filter'?: boolean };
}

/** A text field that lists what its text finds: `combobox` of WAI-ARIA, with a list that follows the typed text. */
export function Combobox(props: ComboboxProps) {
  const { lookup, label, value, chosen, none, choose, refusal, isDisabled = false, attributes } = props;
  const input = useRef<HTMLInputElement>(null);
  const { text, setText } = lookup;
  const { listId, options, at, isOpen, open, take, onKeyDown, setActive } = useChoices(props);
  const shown = visible(chosen);
  useSelected(input, shown, text);
  return (
    <div
      className={css.combobox}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setText(undefined)}
    >
      <input
        ref={input}
        {...attributes}
        type="text"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${listId}${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        maxLength={200}
        disabled={isDisabled || refusal !== undefined}
        title={refusal}
        placeholder={isOpen ? shown || 'Type to search' : (none ?? 'Choose')}
        value={text ?? shown}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={() => isOpen || open()}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
      />
      {value !== '' && !isOpen && !isDisabled && refusal === undefined && (
        <button
          type="button"
          className={`plain dense ${css.clear}`}
          onClick={() => {
            choose('');
            input.current?.focus();
          }}
        >
          <span className="unseen">Clear {label}</span>
          <Icon of={X} />
        </button>
      )}
      {isOpen && (
        <div className={css.popup}>
          <Options {...{ listId, options, value, at, take }} />
          <Found lookup={lookup} count={options.length} />
        </div>
      )}
    </div>
  );
}

/** Selects a name that comes after the focus: typing replaces it all the same. */
function useSelected(input: RefObject<HTMLInputElement | null>, shown: string, text: string | undefined): void {
  useEffect(() => {
    if (text === undefined && document.activeElement === input.current) input.current?.select();
  }, [input, shown, text]);
}

/** The options of a combobox, which of them is active, and what its keys do. */
function useChoices({ lookup, value, none, choose }: ComboboxProps) {
  const listId = useId();
  const { text, setText } = lookup;
  const [active, setActive] = useState(-1);
  const isOpen = text !== undefined;
  const isTyped = text !== undefined && text.trim() !== '';
  const options = none !== undefined && !isTyped ? [{ value: '', name: none }, ...lookup.options] : lookup.options;
  const at = Math.min(active, options.length - 1);
  const open = (): void => {
    setText('');
    setActive(options.findIndex((option) => option.value === value));
  };
  const take = (next: string): void => {
    setText(undefined);
    if (next !== value) choose(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    // The form around it may be sent with Ctrl+Enter.
    if (event.ctrlKey || event.metaKey) return;
    if (key === 'Escape' && isOpen) setText(undefined);
    else if (key === 'Enter' && isOpen) take(options[at]?.value ?? value);
    else if (!isOpen && ['Enter', 'ArrowDown', 'ArrowUp'].includes(key)) open();
    else if (key === 'ArrowDown') setActive(at + 1 < options.length ? at + 1 : 0);
    else if (key === 'ArrowUp') setActive(at > 0 ? at - 1 : options.length - 1);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (isOpen && at >= 0) document.getElementById(`${listId}${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, at, listId]);
  return { listId, options, at, isOpen, open, take, onKeyDown, setActive };
}

interface OptionsProps {
  listId: string;
  options: Option[];
  value: string;
  /** The active one; -1 for none. */
  at: number;
  take: (value: string) => void;
}

const Options = ({ listId, options, value, at, take }: OptionsProps) => (
  <ul id={listId} role="listbox" aria-label="Choices" className={css.list}>
    {options.map(({ value: one, name, detail }, place) => (
      <li
        key={one}
        id={`${listId}${place}`}
        role="option"
        tabIndex={-1}
        aria-selected={one === value}
        className={place === at ? css.active : undefined}
        onMouseDown={(event) => {
          // The focus stays in the field.
          event.preventDefault();
          take(one);
        }}
      >
        <bdi className="given-line">{visible(name.slice(0, 300))}</bdi>
        {detail && <span className="given-line small muted">{detail}</span>}
      </li>
    ))}
  </ul>
);

function Found({ lookup: { isLooking, isMore, error, retry }, count }: { lookup: Lookup; count: number }) {
  if (error) return <ErrorNotice error={error} retry={retry} />;
  const words = isLooking ? 'Searching.' : count === 0 ? 'No matches.' : isMore ? 'Type to find others.' : '';
  return (
    <p role="status" className={`muted small ${css.found}`}>
      {words}
    </p>
  );
}
