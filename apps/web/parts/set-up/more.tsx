import { useState, type ReactNode } from 'react';

interface Props {
  words: string;
  /** Whether it holds something that has to be seen. */
  isNeeded: boolean;
  children: ReactNode;
}

/** Fields that few need, behind a button. */
export function More({ words, isNeeded, children }: Props) {
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
