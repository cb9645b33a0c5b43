import { useState, type FormEvent } from 'react';
import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../api/action';
import { changeExperiment, refreshExperiments } from '../../api/experiments';
import { Dialog } from '../../parts/dialog';
import { Failed } from '../../parts/failed';
import { submitOnCtrlEnter } from '../../parts/submit-keys';

/** The name of the experiment, and its hypothesis. */
export function EditDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const [name, setName] = useState(experiment.name);
  const [description, setDescription] = useState(experiment.description);
  const save = useAction(changeExperiment, async () => {
    close();
    await refreshExperiments();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ id: experiment.id, change: { name: name.trim(), description } });
  };
  return (
    <Dialog title="Name and description" close={close}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className="field">
          <label htmlFor="experiment-name">Name</label>
          <input
            id="experiment-name"
            value={name}
            maxLength={200}
            required
            dir="auto"
            autoFocus
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="experiment-description">Description</label>
          <textarea
            id="experiment-description"
            rows={6}
            value={description}
            maxLength={10_000}
            dir="auto"
            onChange={({ target }) => setDescription(target.value)}
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
