import { useState, type ReactNode } from 'react';
import './fold.css';

/** A part of a result that is folded, and not drawn until it is opened. */
export function Folded({ title, children }: { title: ReactNode; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="fold-inner">{children()}</div>}
    </details>
  );
}
