import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/refresh';
import { labelRun } from '../../api/runs';
import { NameDialog } from '../../../../ui/name-dialog';

/** The name and the notes of a run. */
export function RunLabels({ run, close }: { run: Run; close: () => void }) {
  const save = useAction(labelRun, async () => {
    close();
    await refreshWork(run.id);
  });
  return (
    <NameDialog
      title="Name and note"
      name={run.name ?? ''}
      textLabel="Note"
      text={run.note ?? ''}
      maxTextLength={2000}
      action={save}
      save={(name, note) => save.mutate({ id: run.id, name: name || null, note: note.trim() || null })}
      close={close}
    />
  );
}
