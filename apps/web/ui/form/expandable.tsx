import { useState, type ReactNode } from 'react';

interface Props {
  words: string;
  /** Whether it contains something that must be seen. */
  isNeeded: boolean;
  children: ReactNode;
}

/** Rarely needed fields, behind a button. */
export function Expandable({ words, isNeeded, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen || isNeeded) return children;
  return (
    <div className="actions">
      <button type="button" onClick={() => setOpen(true)}>
        {words}
      </button>
    </div>
  );
}
