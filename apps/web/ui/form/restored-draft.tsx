import type { Draft } from '../draft';

type Restored = Pick<Draft<unknown>, 'isRestored' | 'clear'>;

/** Above a form: it continues what was typed before, and how to begin again. */
export function RestoredDraft({ draft: { isRestored, clear } }: { draft: Restored }) {
  if (!isRestored) return null;
  return (
    <div role="status" className="notice actions">
      Your unsent changes are back.
      <button type="button" className="dense" onClick={clear}>
        Start over
      </button>
    </div>
  );
}
