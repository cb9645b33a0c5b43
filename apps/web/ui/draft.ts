import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { parseJson } from '#lib/contracts/json/json';
import { meQuery } from '../api/session';
import { useUnsaved } from './unsaved';

const PREFIX = 'toolmark.draft.';
/** Session storage holds about 5 MB; a longer draft lasts only as long as its page. */
const MAX_LENGTH = 1_000_000;

/** A user's unsaved input. */
export interface Draft<Value> {
  value: Value;
  /** Whether it differs from the stored value. */
  isChanged: boolean;
  /** Whether it was typed before this form was shown. */
  isRestored: boolean;
  /** Whether it is too long to survive a reload. */
  isTooLong: boolean;
  change: (value: Value) => void;
  /** Returns to the stored value, to discard the changes. */
  clear: () => void;
  /** The same after this value was saved, unless it has changed since. */
  end: (saved: Value) => void;
}

/**
 * Keeps input in session storage, so that a reload or an expired session loses nothing. The draft belongs to the user
 * and to this tab. Without a key it is not kept. Numbers keep their text. When `initial`
 * changes, so does the value, unless there is a draft.
 */
export function useDraft<Value>(key: string | undefined, initial: Value): Draft<Value> {
  const { data: me } = useQuery(meQuery);
  const name = key && `${PREFIX}${me?.team.id}.${me?.user.id}.${key}`;
  const [draft, setDraft] = useState(() => read<Value>(name));
  const [wasThere, setWasThere] = useState(draft !== undefined);
  useUnsaved(draft !== undefined);
  // What is saved may end when the form is gone, or was rendered long ago.
  const latest = useRef(draft);
  const change = (value: Value): void => setDraft((latest.current = write(name, value, initial)));
  const clear = (): void => {
    remove(name);
    setDraft((latest.current = undefined));
    setWasThere(false);
  };
  return {
    value: draft ? draft.value : initial,
    isChanged: draft !== undefined,
    isRestored: wasThere && draft !== undefined,
    isTooLong: draft?.isTooLong ?? false,
    change,
    clear,
    end: (saved) => void (latest.current?.value === saved && clear()),
  };
}

interface StoredDraft<Value> {
  value: Value;
  isTooLong: boolean;
}

function read<Value>(name: string | undefined): StoredDraft<Value> | undefined {
  if (name === undefined) return undefined;
  try {
    const text = sessionStorage.getItem(name);
    return text === null ? undefined : { value: parseJson(text) as Value, isTooLong: false };
  } catch {
    // Storage is disabled, or holds something else.
    return undefined;
  }
}

/** @returns undefined if no changes are left */
function write<Value>(name: string | undefined, value: Value, initial: Value): StoredDraft<Value> | undefined {
  const text = stringifyInSourceOrder(value);
  if (text === stringifyInSourceOrder(initial)) return void remove(name);
  if (name === undefined) return { value, isTooLong: false };
  if (text.length > MAX_LENGTH) {
    // Otherwise an older one would reappear as the latest.
    remove(name);
    return { value, isTooLong: true };
  }
  try {
    sessionStorage.setItem(name, text);
    return { value, isTooLong: false };
  } catch {
    return { value, isTooLong: true };
  }
}

function remove(name: string | undefined): void {
  if (name === undefined) return;
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Storage is not available.
  }
}
