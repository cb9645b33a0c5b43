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
