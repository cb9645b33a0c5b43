import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { meQuery } from '../../../api/session';
import { useDebounced } from '../../../ui/debounced';
import { Icon, Search } from '../../../ui/icons';
import { ErrorNotice } from '../../../ui/notices';
import { UserLine } from '../../../ui/user-text';
import { runsQuery } from '../../runs/api';
import { casesQuery, namesQuery } from '../api';
import { actionsOf, entryOf, groupsOf, matchingEntries, type Entry, type EntryGroup } from './entries';
import css from './palette.module.css';
import { recentOf, remember } from './recent';

const SEARCH_AFTER_MS = 150;
const MAX_ACTIONS = 6;
const LATEST = 5;

interface Props {
  /** The text to begin with. */
  first?: string;
  close: () => void;
  openKeys: () => void;
}

const FIELD = {
  type: 'text',
  role: 'combobox',
  'aria-label': 'Search runs, suites, cases, models and actions',
  'aria-expanded': true,
  'aria-autocomplete': 'list',
  autoComplete: 'off',
  spellCheck: false,
  maxLength: 200,
  placeholder: 'Search, or do something',
} as const;

/** Finds and opens anything by its name, and does what can be done from anywhere. Ctrl+K opens it. */
export default function Palette({ first = '', close, openKeys }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(first);
  const { groups, isSearching, error } = useGroups(text.trim(), openKeys);
  const entries = groups.flatMap((group) => group.entries);
  const [key, setKey] = useState<string>();
  // What is found meanwhile does not move the choice.
  const chosen = Math.max(
    0,
    entries.findIndex((entry) => entry.key === key),
  );
  const open = useOpen(() => dialog.current?.close());
  const list = useId();
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(`${list}${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, chosen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event.key, chosen, entries.length);
    if (next !== undefined) setKey(entries[next]!.key);
    else if (event.key === 'Enter' && entries[chosen]) open(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={css.palette}
      aria-label="Search"
      onClose={close}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <div className={css.field}>
        <Icon of={Search} />
        <input
          {...FIELD}
          aria-controls={list}
          aria-activedescendant={entries[chosen] && `${list}${chosen}`}
          autoFocus
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setKey(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={list} role="listbox" aria-label="Found" aria-busy={isSearching} className={css.found}>
        {groups.map((group) => (
          <Group key={group.name} {...{ group, entries, chosen, list, open }} />
        ))}
      </div>
      {error && <ErrorNotice error={error} />}
      <p className={css.state} role="status">
        {entries.length === 0 && (isSearching ? 'Searching ...' : 'Nothing found.')}
      </p>
    </dialog>
  );
}

interface GroupProps {
  group: EntryGroup;
  /** Of all groups. */
  entries: readonly Entry[];
  chosen: number;
  /** What the ids of the entries begin with. */
  list: string;
  open: (entry: Entry) => void;
}

const Group = ({ group, entries, chosen, list, open }: GroupProps) => (
  <div role="group" aria-label={group.name}>
    <div className={css.name} aria-hidden="true">
      {group.name}
    </div>
    {group.entries.map((entry) => {
      const n = entries.indexOf(entry);
      return (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the focus
        <div
          key={entry.key}
          id={`${list}${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === chosen}
          className={css.entry}
          onClick={() => open(entry)}
        >
          <UserLine text={entry.name} />
          {entry.about !== undefined && (
            <span className={css.about}>
              <UserLine text={entry.about} />
            </span>
          )}
        </div>
      );
    })}
  </div>
);

/** What is listed for a text: without one, what was used last. */
function useGroups(text: string, openKeys: () => void) {
  const { data: me } = useQuery(meQuery);
  const sought = useDebounced(text, SEARCH_AFTER_MS);
  const names = useQuery({ ...namesQuery(sought), placeholderData: keepPreviousData });
  const cases = useQuery({ ...casesQuery(sought), placeholderData: keepPreviousData });
  const latest = useQuery({ ...runsQuery({ limit: LATEST }), enabled: text === '' });
  const actions = useMemo(() => actionsOf(openKeys), [openKeys]);
  if (text === '') {
    const recent = me ? recentOf(me.user.id) : [];
    const isRecent = (entry: Entry): boolean => recent.some(({ key }) => key === entry.key);
    const runs = (latest.data?.items ?? []).map(({ id, name, suite, status, created_at: at }) =>
      entryOf({ type: 'run', id, name: name ?? suite.name, suite, status, at }),
    );
    return shownGroups([
      { name: 'Recent', entries: recent },
      { name: 'Latest runs', entries: runs.filter((run) => !isRecent(run)) },
      { name: 'Actions', entries: actions },
    ]);
  }
  const done = matchingEntries(actions, text).slice(0, MAX_ACTIONS);
  const found = [names, cases].flatMap(({ data, isPlaceholderData }) => {
    const groups = groupsOf(data?.items ?? []);
    // Matches of an earlier text are listed as far as they match this one.
    const isOld = isPlaceholderData || sought !== text;
    return isOld ? groups.map(({ name, entries }) => ({ name, entries: matchingEntries(entries, text) })) : groups;
  });
  return shownGroups([...found, { name: 'Actions', entries: done }], {
    isSearching: sought !== text || names.isFetching || cases.isFetching,
    error: names.error ?? cases.error,
  });
}

const shownGroups = (groups: EntryGroup[], state: { isSearching?: boolean; error?: Error | null } = {}) => ({
  groups: groups.filter(({ entries }) => entries.length > 0),
  isSearching: state.isSearching ?? false,
  error: state.error ?? null,
});

/** Opens an entry, and remembers it. */
function useOpen(close: () => void): (entry: Entry) => void {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  return (entry) => {
    close();
    entry.act?.();
    if (!entry.to) return;
    if (me && entry.key.includes(' ')) remember(me.user.id, entry);
    void navigate(entry.to as Parameters<typeof navigate>[0]);
  };
}

/** The entry that a key moves to; undefined for other keys. */
function moved(key: string, at: number, number: number): number | undefined {
  if (number === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % number;
  if (key === 'ArrowUp') return (at - 1 + number) % number;
  if (key === 'PageDown') return Math.min(at + 8, number - 1);
  if (key === 'PageUp') return Math.max(at - 8, 0);
  return undefined;
}
