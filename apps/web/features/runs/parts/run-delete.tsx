import type { Run } from '#lib/contracts/run';
import { newIdempotencyKey } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { ConfirmDialog } from '../../../ui/dialog';
import { count } from '../../../ui/amounts';
import { undo } from '../../../ui/undo';
import { UserText } from '../../../ui/user-text';
import { deleteRun } from '../api';
import { runName } from './run-link';

interface Props {
  run: Run;
  close: () => void;
  onDone?: () => unknown;
}

/** Says what a run takes with it. It is deleted after ten seconds, in which that can be undone. */
export function RunDelete({ run, close, onDone }: Props) {
  const name = runName(run);
  const { settled } = run.counts;
  return (
    <ConfirmDialog
      title="Delete this run?"
      action="Delete the run"
      isPending={false}
      error={null}
      close={close}
      act={() => {
        close();
        undo.later({
          id: run.id,
          text: `Deleted ${name.slice(0, 60)}.`,
          act: async () => {
            await deleteRun(run.id, { idempotencyKey: newIdempotencyKey() });
            queryClient.removeQueries({ queryKey: keys.run(run.id) });
            await queryClient.invalidateQueries({ queryKey: keys.runLists });
          },
        });
        void onDone?.();
      }}
    >
      <p>
        <UserText text={name} max={200} />
      </p>
      <p>
        {settled === 1 ? 'Its result' : `Its ${count(settled)} results`}, rescores and stored replies go with it, and
        its place in experiments.
      </p>
    </ConfirmDialog>
  );
}
