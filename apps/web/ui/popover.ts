import { useCallback, useEffect, useId, useRef, useState } from 'react';

const EDGE_PX = 8;

/**
 * A popover that opens below the element that opens it, or above it where there is no room. The browser closes it with
 * Escape or a click elsewhere. Spread `button` on a `<button>` and `panel` on the panel.
 */
export function usePopover<Panel extends HTMLElement>() {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<Panel>(null);
  const [isOpen, setOpen] = useState(false);

  const place = useCallback(() => {
    if (!opener.current || !panel.current) return;
    const at = opener.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = panel.current;
    const isBelow = at.bottom + height + EDGE_PX <= innerHeight || at.top < height + EDGE_PX;
    const left = at.left + width + EDGE_PX <= innerWidth ? at.left : at.right - width;
    panel.current.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
    panel.current.style.top = `${Math.max(EDGE_PX, isBelow ? at.bottom + 4 : at.top - height - 4)}px`;
  }, []);

  useEffect(() => {
    if (!isOpen) return;
    place();
    const grown = new ResizeObserver(place);
    if (panel.current) grown.observe(panel.current);
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    return () => {
      grown.disconnect();
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
    };
  }, [isOpen, place]);

  return {
    isOpen,
    close: () => panel.current?.hidePopover(),
    opener,
    panelRef: panel,
    button: { ref: opener, type: 'button', popoverTarget: id, 'aria-expanded': isOpen } as const,
    panel: {
      ref: panel,
      id,
      popover: 'auto',
      onToggle: ({ newState }: { newState: string }) => setOpen(newState === 'open'),
    } as const,
  };
}
