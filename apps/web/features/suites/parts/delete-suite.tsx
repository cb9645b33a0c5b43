import { newIdempotencyKey } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { count } from '../../../ui/amounts';
import { ConfirmDialog } from '../../../ui/dialog';
import { undo } from '../../../ui/undo';
import { UserText } from '../../../ui/user-text';
import { deleteSuite, refreshSuites } from '../api';

interface Props {
  suite: { id: string; name: string; test_cases_count: number };
  close: () => void;
  /** Leaves what shows the suite. */
  onDone?: () => unknown;
}

/** Asks before a suite goes with its cases; it can be taken back for a while. */
export function DeleteSuite({ suite: { id, name, test_cases_count: cases }, close, onDone }: Props) {
  const act = (): void => {
    undo.later({
      text: `Suite ${name.slice(0, 80)} deleted.`,
      id,
      act: async () => {
        await deleteSuite(id, { idempotencyKey: newIdempotencyKey() });
        queryClient.removeQueries({ queryKey: keys.suite(id) });
        await refreshSuites();
      },
    });
    close();
    void onDone?.();
  };
  return (
    <ConfirmDialog
      title="Delete this suite?"
      action="Delete the suite"
      {...{ act, close }}
      isPending={false}
      error={null}
    >
      <p>
        <UserText text={name} max={200} /> is deleted with its tools and its {count(cases)}{' '}
        {cases === 1 ? 'case' : 'cases'}. Runs keep the version they ran.
      </p>
    </ConfirmDialog>
  );
}
