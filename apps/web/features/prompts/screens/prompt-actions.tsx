import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Dialog } from '../../../ui/dialog';
import { Menu, MenuItem, MenuLink } from '../../../ui/menu';
import { ErrorNotice, Warnings } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import { undo } from '../../../ui/undo';
import { UserText } from '../../../ui/user-text';
import { deletePromptVersion, refreshPrompts } from '../api';
import { promptUseQuery, putInSuite } from '../put-in-suite';
import { promptName } from '../parts/prompt-name';
import { PromptDiffView } from '../parts/prompt-texts';

/** Runs, takes over, copies or deletes a version. */
export function PromptActions({ version }: { version: PromptVersion }) {
  const refusal = useRefusal('editor');
  const [asked, ask] = useState(false);
  const remove = useRemove();
  const { id, suite_id: suite } = version;
  const noUse = refusal ?? (suite === null ? 'Its suite was deleted.' : undefined);
  return (
    <>
      {noUse === undefined && (
        <Link to="/runs/new" search={{ suite: suite!, prompt: id }} className="button primary">
          Run with this version
        </Link>
      )}
      <Menu label="More actions">
        <MenuItem refusal={noUse} onSelect={() => ask(true)}>
          Use in the suite
        </MenuItem>
        {noUse === undefined && (
          <MenuLink to="/prompts/new" search={{ suite: suite!, from: id }}>
            New version from this
          </MenuLink>
        )}
        <MenuItem danger refusal={refusal} onSelect={() => remove(version)}>
          Delete
        </MenuItem>
      </Menu>
      {asked && suite !== null && <UsePrompt id={id} suiteId={suite} close={() => ask(false)} />}
    </>
  );
}

/** Shows what a suite would take over from a version, and asks for confirmation. */
function UsePrompt({ id, suiteId, close }: { id: string; suiteId: string; close: () => void }) {
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

/** Deletes a version some seconds later, unless that is undone: runs that used its texts keep them. */
function useRemove(): (version: PromptVersion) => void {
  const navigate = useNavigate();
  const { mutateAsync } = useAction(deletePromptVersion, async (_done, id) => {
    queryClient.removeQueries({ queryKey: keys.prompt(id) });
    await refreshPrompts();
  });
  return (version) => {
    undo.later({ text: `Deleted ${promptName(version)}.`, id: version.id, act: () => mutateAsync(version.id) });
    void navigate({ to: '/prompts' });
  };
}
