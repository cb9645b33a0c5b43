import { startTransition, useState, type ReactNode } from 'react';
import { count } from '../amounts';

/** The first of many, and a button for the others. @param what they are, in the plural */
export function useFirst<Of>(
  all: readonly Of[],
  most: number,
  what: string,
): { shown: readonly Of[]; more: ReactNode } {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || all.length <= most) return { shown: all, more: null };
  const showAll = (): void => startTransition(() => setWhole(true));
  return {
    shown: all.slice(0, most),
    more: (
      <button type="button" className="dense" onClick={showAll}>
        Show all {count(all.length)} {what}
      </button>
    ),
  };
}
