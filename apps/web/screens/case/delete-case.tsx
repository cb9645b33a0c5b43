import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../api/action';
import { keys } from '../../api/keys';
import { deleteCase } from '../../api/suites';
import { DeleteDialog } from '../../parts/dialog';
import { Given } from '../../parts/given';

interface Deleted {
  suiteId: string;
  caseId: string;
  name: string;
  close: () => void;
}

export function DeleteCase({ suiteId, caseId, name, close }: Deleted) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(
    (id: string, options) => deleteCase(suiteId, id, options),
    async () => {
      await navigate({ to: '/suites/$suiteId', params: { suiteId } });
      void queries.invalidateQueries({ queryKey: keys.suites });
    },
  );
  return (
    <DeleteDialog
      title="Delete the case?"
      action="Delete the case"
      act={() => mutate(caseId)}
      {...{ isPending, error, close }}
    >
      <p>
        <Given text={name} max={200} /> will be deleted. Other cases keep their numbers, and past runs keep their
        results.
      </p>
    </DeleteDialog>
  );
}
