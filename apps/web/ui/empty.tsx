import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** An empty state: what would be here, and the one action that fills it. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p>{children}</p>
      {action && <div className="actions">{action}</div>}
    </div>
  );
}

export interface MissingWords {
  /** "gate" */
  what: string;
  /** The address and the name of the list that it would be in. */
  list: string;
  all: string;
}

/** The screen of an address that names something that is not there. */
export const Missing = ({ what, list, all }: MissingWords) => (
  <Empty
    action={
      <Link to={list} className="button">
        {all}
      </Link>
    }
  >
    There is no such {what} in your team. It may have been deleted.
  </Empty>
);
