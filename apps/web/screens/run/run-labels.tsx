import { useState, type FormEvent } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../api/action';
import { refreshWork } from '../../api/jobs';
import { labelRun } from '../../api/runs';
import { Dialog } from '../../parts/dialog';
import { Failed } from '../../parts/failed';
import { submitOnCtrlEnter } from '../../parts/submit-keys';

/** The name and the notes of a run. */
export function RunLabels({ run, close }: { run: Run; close: () => void }) {
  const [name, setName] = useState(run.name ?? '');
  const [note, setNote] = useState(run.note ?? '');
  const save = useAction(labelRun, async () => {
    close();
    await refreshWork(run.id);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ id: run.id, name: name.trim() || null, note: note.trim() || null });
  };
  return (
    <Dialog title="Name and note" close={close}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className="field">
          <label htmlFor="run-name">Name</label>
          <input
            id="run-name"
            value={name}
            maxLength={200}
            dir="auto"
            autoFocus
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="run-note">Note</label>
          <textarea
            id="run-note"
            rows={6}
            value={note}
            maxLength={2000}
            dir="auto"
            onChange={({ target }) => setNote(target.value)}
          />
        </div>
        {save.isError && <Failed error={save.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={save.isPending}>
            Save
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
