import type { KeyboardEvent } from 'react';

/** For a form: Ctrl+Enter (on a Mac, Command+Enter) submits it from every field. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
