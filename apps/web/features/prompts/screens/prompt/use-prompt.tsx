import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { promptUseQuery, putInSuite } from '../../api';
import { queryClient } from '../../../../api/query-client';
import { Dialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { PromptDiffView } from '../../parts/prompt-diff';
import { Skeleton } from '../../../../ui/skeleton';
import { Warnings } from '../../../../ui/warnings';

interface Props {
  version: PromptVersion;
  suiteId: string;
  close: () => void;
}

/** Shows what a suite would take over from a version, and asks for confirmation. */
export function UsePrompt({ version: { id }, suiteId, close }: Props) {
  const navigate = useNavigate();
  const use = useQuery({ ...promptUseQuery(id, suiteId), refetchOnWindowFocus: false });
  const put = useAction(putInSuite, async () => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.suites }),
      queryClient.invalidateQueries({ queryKey: keys.prompt(id) }),
    ]);
  });
  if (put.data)
    return (
      <Dialog title="The suite is updated" close={close}>
        <p>It is now version {put.data.version}. Earlier runs keep their texts.</p>
        <Warnings warnings={put.data.warnings} />
        <div className="actions">
          <button
            type="button"
            className="primary"
            onClick={() => void navigate({ to: '/suites/$suiteId', params: { suiteId } })}
          >
            To the suite
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </Dialog>
    );
  const { suite, components = [] } = use.data ?? {};
  return (
    <Dialog title="Use these texts in the suite?" close={close}>
      {use.isPending && <Skeleton rows={4} />}
      {use.isError && <ErrorNotice error={use.error} retry={() => use.refetch()} />}
      {suite && (
        <p>
          {components.length === 0 ? 'No changes: ' : 'This changes '}
          <UserText text={suite.name} max={200} />, version {suite.version}
          {components.length === 0 ? ' already has these texts.' : ', for everybody in the team:'}
        </p>
      )}
      {components.length > 0 && <PromptDiffView components={components} />}
      {put.isError && <ErrorNotice error={put.error} />}
      <div className="actions">
        {suite && components.length > 0 && (
          <button
            type="button"
            className="primary"
            disabled={put.isPending}
            onClick={() => put.mutate({ id, suiteId, seen: suite.version })}
          >
            Change the suite
          </button>
        )}
        <button type="button" autoFocus onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
