import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon, Search } from '../../../ui/icons';
import { whenPaletteIsAsked } from './open-palette';

const Palette = lazy(() => import('./palette'));

/** Opens the palette, as Ctrl+K (on a Mac, Command+K) does everywhere. */
export function SearchButton({ openKeys }: { openKeys: () => void }) {
  /** The first text of the palette while it is open. */
  const [text, setText] = useState<string>();
  useEffect(() => whenPaletteIsAsked(setText), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setText('');
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" className="dense search" aria-keyshortcuts="Control+K" onClick={() => setText('')}>
        <Icon of={Search} /> <span className="search-name">Search</span> <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <Suspense>
        {text !== undefined && <Palette first={text} close={() => setText(undefined)} openKeys={openKeys} />}
      </Suspense>
    </>
  );
}
