import { useState, type ReactNode } from 'react';
import { useForm } from './json-form';

interface Props {
  summary: string;
  /** JSON Pointers of the fields inside. */
  fields: readonly string[];
  children: ReactNode;
}

/** Rarely needed fields. A fault in one opens them, and they stay open when it is fixed. */
export function FoldedFields({ summary, fields, children }: Props) {
  const { errors, edited } = useForm();
  const [isOpen, setOpen] = useState(false);
  const isWithin = (path: string): boolean => fields.some((field) => path === field || path.startsWith(`${field}/`));
  const hasFault = errors.some(({ path }) => isWithin(path)) || Object.keys(edited.unread).some(isWithin);
  return (
    <details open={isOpen || hasFault} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      <div className="fields">{children}</div>
    </details>
  );
}

interface ExpandableProps {
  words: string;
  /** Whether it contains something that must be seen. */
  isNeeded: boolean;
  children: ReactNode;
}

/** Rarely needed fields, behind a button. */
export function Expandable({ words, isNeeded, children }: ExpandableProps) {
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
