import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { deleteSuite } from '../api/suites';
import { DeleteDialog } from '../../../ui/dialog';
import { UserText } from '../../../ui/user-text';

interface Deleted {
  suite: { id: string; name: string; test_cases_count: number };
  close: () => void;
  onDone?: () => unknown;
}

export function DeleteSuite({ suite: { id, name, test_cases_count: cases }, close, onDone }: Deleted) {
  const queries = useQueryClient();
  const remove = useAction(deleteSuite, async () => {
    await onDone?.();
    queries.removeQueries({ queryKey: keys.suite(id) });
    void queries.invalidateQueries({ queryKey: keys.suites });
    close();
  });
  return (
    <DeleteDialog
      title="Delete this suite?"
      action="Delete the suite"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(id)}
      close={close}
    >
      <p>
        <UserText text={name} max={200} /> is deleted with its tools and its {cases.toLocaleString('en')}{' '}
        {cases === 1 ? 'case' : 'cases'}. Runs keep the version they ran.
      </p>
    </DeleteDialog>
  );
}
