import { useState, type ReactNode } from 'react';

interface Props {
  summary: ReactNode;
  className?: string;
  children: () => ReactNode;
}

/** Details that are not rendered until they are opened. */
export function LazyDetails({ summary, className, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

/** A collapsed part of a result. */
export const Folded = ({ title, children }: { title: ReactNode; children: () => ReactNode }) => (
  <LazyDetails className="fold" summary={title}>
    {() => <div className="fold-inner">{children()}</div>}
  </LazyDetails>
);
