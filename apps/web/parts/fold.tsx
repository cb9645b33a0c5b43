import { useState, type ReactNode } from 'react';
import './fold.css';

/** A collapsed part of a result, which is not rendered until it is opened. */
export function Folded({ title, children }: { title: ReactNode; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className="fold-inner">{children()}</div>}
    </details>
  );
}
