import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { DeleteDialog } from '../../../ui/dialog';
import { count } from '../../../ui/amounts';
import { isUnderWay } from '../../../ui/status';
import { UserText } from '../../../ui/user-text';
import { deleteRun } from '../api';

/** A button that deletes a run, after a dialog that lists what is deleted with it. */
export function RunDelete({ run, onDone, dense = false }: { run: Run; onDone?: () => unknown; dense?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('editor') ?? (isUnderWay(run.status) ? 'Cancel the run first.' : undefined);
  const name = run.name ?? run.suite.name;
  return (
    <>
      <button
        type="button"
        className={dense ? 'dense' : ''}
        disabled={refusal !== undefined}
        title={refusal}
        aria-label={dense ? `Delete the run ${name.slice(0, 100)}` : undefined}
        onClick={() => setOpen(true)}
      >
        Delete
      </button>
      {isOpen && <DeleteRunDialog run={run} close={() => setOpen(false)} onDone={onDone} />}
    </>
  );
}

function DeleteRunDialog({ run, close, onDone }: { run: Run; close: () => void; onDone?: () => unknown }) {
  const { isPending, error, mutate } = useAction(deleteRun, async () => {
    close();
    await onDone?.();
    queryClient.removeQueries({ queryKey: keys.run(run.id) });
    await queryClient.invalidateQueries({ queryKey: keys.runLists });
  });
  return (
    <DeleteDialog
      title="Delete this run?"
      action="Delete the run"
      act={() => mutate(run.id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={run.name ?? `${run.suite.name}, version ${run.suite.version}`} max={200} />
      </p>
      <p>
        This deletes its {count(run.counts.settled)} results with their requests and replies, its rescores, its place in
        experiments, and the cached replies that came from it. This cannot be undone.
      </p>
    </DeleteDialog>
  );
}
