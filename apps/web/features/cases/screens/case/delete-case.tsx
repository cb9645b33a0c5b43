import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toText } from '#lib/contracts/json/json';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { deleteCase, type StoredCase } from '../../api';
import { DeleteDialog } from '../../../../ui/dialog';
import { UserText } from '../../../../ui/user-text';

/** A button that deletes the case, after a confirmation. */
export function DeleteCase({ suiteId, stored }: { suiteId: string; stored: StoredCase }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { isPending, error, mutate } = useAction(
    (id: string, options) => deleteCase(suiteId, id, options),
    async () => {
      await navigate({ to: '/suites/$suiteId', params: { suiteId } });
      void queries.invalidateQueries({ queryKey: keys.suites });
    },
  );
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking && (
        <DeleteDialog
          title="Delete the case?"
          action="Delete the case"
          act={() => mutate(stored.id)}
          close={() => setAsking(false)}
          {...{ isPending, error }}
        >
          <p>
            <UserText text={toText(stored.name ?? '') || `Case ${stored.position + 1}`} max={200} /> will be deleted.
            Other cases keep their numbers, and past runs keep their results.
          </p>
        </DeleteDialog>
      )}
    </>
  );
}
