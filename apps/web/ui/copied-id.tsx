import { useState } from 'react';

const SHOWN = 8;

/** The end of an id, which distinguishes ids of the same day, and a button that copies the whole id. */
export function CopiedId({ id, what }: { id: string; what: string }) {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    navigator.clipboard?.writeText(id).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied'),
    );
  };
  return (
    <span className="small muted">
      <code title={id}>{id.slice(-SHOWN)}</code>{' '}
      <button type="button" className="plain dense" onClick={copy} aria-label={`Copy the id of the ${what}`}>
        {said || 'Copy'}
      </button>
    </span>
  );
}
