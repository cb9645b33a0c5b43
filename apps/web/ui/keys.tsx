import { type KeyboardEvent as ElementKeyboardEvent, useEffect, useRef } from 'react';

const OFF = 'toolmark.keys';
/** The second key of `g r` must follow within this time. */
const SEQUENCE_MS = 1000;

type Keys = Record<string, (event: KeyboardEvent) => void>;

export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(OFF) !== 'off';
  } catch {
    return true;
  }
}
export function switchKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, 'off');
  } catch {
    // The keys stay enabled or disabled as they were.
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));

/** The prefix of every sequence: a key that follows it in time is not a shortcut by itself, in any view. */
const PREFIX = 'g';

/**
 * Keyboard shortcuts of a view, such as `j`, `g r`, `Escape`. They are inactive while a field has the focus or a dialog
 * or a menu is open, and single letters can be switched off.
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let prefixAt: number | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector('dialog[open], :popover-open')) return;
      if (event.key.length === 1 && !areKeysOn()) return;
      const isSecond = prefixAt !== undefined && event.timeStamp - prefixAt < SEQUENCE_MS;
      prefixAt = event.key === PREFIX ? event.timeStamp : undefined;
      const handle = current.current[isSecond ? `${PREFIX} ${event.key}` : event.key];
      if (!handle) return;
      event.preventDefault();
      handle(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** For a form: Ctrl+Enter (on a Mac, Command+Enter) submits it from every field. */
export function submitOnCtrlEnter(event: ElementKeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
