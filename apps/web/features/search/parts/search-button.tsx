import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon, Search } from '../../../ui/icons';

const Palette = lazy(() => import('./palette'));

/** Opens the palette, as Ctrl+K (on a Mac, Command+K) does everywhere. */
export function SearchButton({ openKeys }: { openKeys: () => void }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className="dense search"
        aria-label="Search"
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
      >
        <Icon of={Search} /> <span className="search-name">Search</span> <kbd>Ctrl K</kbd>
      </button>
      <Suspense>{isOpen && <Palette close={() => setOpen(false)} openKeys={openKeys} />}</Suspense>
    </>
  );
}
