import type { ComponentProps } from 'react';
import css from './judge.module.css';

/** A button of a view, with the key that does the same. */
export const KeyButton = ({ of, children, ...button }: ComponentProps<'button'> & { of: string }) => (
  <button type="button" className="dense" aria-keyshortcuts={of} {...button}>
    {children} <kbd className={css.key}>{of}</kbd>
  </button>
);
