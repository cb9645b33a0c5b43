import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { Menu } from './menu';
import { UserLine, UserText, visible } from './user-text';

export interface TrailStep extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  label: string;
}
interface Place {
  title: string;
  trail: readonly TrailStep[];
}

// The head of a screen tells the top bar where it is.
let place: Place | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
function moveTo(next: Place | undefined): void {
  place = next;
  document.title = next ? `${visible(next.title.slice(0, MAX_TITLE))} · Toolmark` : 'Toolmark';
  listeners.forEach((listener) => listener());
}
const MAX_TITLE = 100;

interface Props {
  /** What the screen shows: its heading, and the title of the tab. */
  title: string;
  /** Where it is: "Runs", "Suites / Office assistant". */
  trail?: readonly TrailStep[];
  /** Next to the title. */
  badge?: ReactNode;
  /** One line below the title: what state it is in. */
  status?: ReactNode;
  /** The frequent actions, at most one of them primary. */
  actions?: ReactNode;
  /** The rare actions: `MenuItem`s and `MenuLink`s. */
  menu?: ReactNode;
}

const NO_TRAIL: readonly TrailStep[] = [];

/** The head of a screen: what it is, what state it is in, and what can be done. */
export function Head({ title, trail = NO_TRAIL, badge, status, actions, menu }: Props) {
  const words = trail.map(({ label }) => label).join('/');
  useEffect(() => {
    const own = { title, trail };
    moveTo(own);
    return () => {
      if (place === own) moveTo(undefined);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a trail is made for each rendering, and is what it says
  }, [title, words]);
  return (
    <div className="screen-head">
      <div className="screen-title">
        <h1>
          <UserText text={title} max={200} />
        </h1>
        {badge}
      </div>
      {(actions !== undefined || menu !== undefined) && (
        <div className="actions">
          {actions}
          {menu !== undefined && <Menu label="More actions">{menu}</Menu>}
        </div>
      )}
      {status !== undefined && <div className="facts small muted screen-status">{status}</div>}
    </div>
  );
}

/** The way to the current screen, in the top bar. */
export function Trail() {
  const current = useSyncExternalStore(subscribe, () => place);
  return (
    <nav aria-label="Breadcrumb" className="trail">
      <ol>
        {current?.trail.map(({ label, ...link }) => (
          <li key={label}>
            <Link {...link} activeProps={{}}>
              <UserLine text={label} />
            </Link>
          </li>
        ))}
        {current && (
          <li aria-current="page">
            <UserLine text={current.title} />
          </li>
        )}
      </ol>
    </nav>
  );
}
