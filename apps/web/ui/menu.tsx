import { Link, type LinkProps } from '@tanstack/react-router';
import { createContext, use, useEffect, type KeyboardEvent, type ReactNode } from 'react';
import { Ellipsis, Icon } from './icons';
import { usePopover } from './popover';

const Close = createContext<() => void>(() => {});

interface Props {
  /** What its button does, for screen readers, and its words if there are no others. */
  label: string;
  /** What the button shows instead of three dots. */
  button?: ReactNode;
  className?: string;
  /** `MenuItem`s and `MenuLink`s. */
  children: ReactNode;
}

const MOVES: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** A button that opens a menu of actions: arrow keys move, Enter acts, Escape closes. */
export function Menu({ label, button, className, children }: Props) {
  const { isOpen, close, opener, panelRef, button: buttonProps, panel } = usePopover<HTMLDivElement>();
  const items = (): HTMLElement[] => [...(panelRef.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useEffect(() => {
    if (isOpen) panelRef.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [isOpen, panelRef]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return close();
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const all = items();
    all[move(all.indexOf(document.activeElement as HTMLElement), all.length - 1)]?.focus();
  };
  return (
    <>
      <button
        {...buttonProps}
        className={className ?? (button ? undefined : 'plain icon-only')}
        aria-haspopup="menu"
        aria-label={button ? undefined : label}
        title={button ? undefined : label}
      >
        {button ?? <Icon of={Ellipsis} />}
      </button>
      {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus -- its items have the focus */}
      <div {...panel} role="menu" aria-label={label} className="menu" onKeyDown={onKeyDown}>
        <Close
          value={() => {
            close();
            opener.current?.focus();
          }}
        >
          {isOpen && children}
        </Close>
      </div>
    </>
  );
}

interface ItemProps {
  onSelect: () => void;
  /** It takes something away. */
  danger?: boolean;
  /** Why the user may not do it. */
  refusal?: string;
  children: ReactNode;
}

/** An action of a menu. */
export function MenuItem({ onSelect, danger, refusal, children }: ItemProps) {
  const close = use(Close);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={danger ? 'plain danger' : 'plain'}
      aria-disabled={refusal !== undefined}
      title={refusal}
      onClick={() => {
        if (refusal !== undefined) return;
        close();
        onSelect();
      }}
    >
      {children}
      {refusal !== undefined && <span className="small muted">{refusal}</span>}
    </button>
  );
}

/** A link of a menu. */
export function MenuLink({ children, ...link }: Omit<LinkProps, 'children'> & { children: ReactNode }) {
  const close = use(Close);
  return (
    <Link {...link} role="menuitem" tabIndex={-1} className="button plain" onClick={close}>
      {children}
    </Link>
  );
}

/** A link of a menu to an address outside the page's own. */
export function MenuAnchor({ href, children }: { href: string; children: ReactNode }) {
  const close = use(Close);
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      role="menuitem"
      tabIndex={-1}
      className="button plain"
      onClick={close}
    >
      {children}
    </a>
  );
}

/** A line between groups of a menu. */
export const MenuSeparator = () => <hr />;
