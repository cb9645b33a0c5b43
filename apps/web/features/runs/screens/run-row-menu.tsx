import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../../ui/menu';
import { ErrorNotice } from '../../../ui/notices';
import { isUnderWay } from '../../../ui/status';
import { undo } from '../../../ui/undo';
import { archiveRun } from '../api';
import { LabelRun } from '../parts/label-run';
import { RunDelete } from '../parts/run-delete';
import { runName } from '../parts/run-link';

/** The rare actions on a run of a list. */
export function RunRowMenu({ run }: { run: Run }) {
  const [open, setOpen] = useState<'label' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const refusal = useRefusal('editor');
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.runLists });
  const archive = useAction(archiveRun, refresh);
  const isArchived = run.mine?.archived ?? false;
  const setArchived = (archived: boolean) => archive.mutateAsync({ id: run.id, archived });
  return (
    <>
      <Menu label={`Actions on ${runName(run).slice(0, 100)}`}>
        <MenuLink to="/runs/new" search={{ from: run.id }}>
          Run again
        </MenuLink>
        <MenuItem refusal={refusal} onSelect={() => setOpen('label')}>
          Name and note
        </MenuItem>
        <MenuItem
          onSelect={() => {
            void setArchived(!isArchived).then(
              () =>
                undo.offer({
                  text: isArchived ? 'Back in your list.' : 'Archived for you.',
                  undo: () => setArchived(isArchived),
                }),
              () => {}, // Said below the menu.
            );
          }}
        >
          {isArchived ? 'Take out of your archive' : 'Archive for me'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          danger
          refusal={refusal ?? (isUnderWay(run.status) ? 'Cancel it first.' : undefined)}
          onSelect={() => setOpen('delete')}
        >
          Delete
        </MenuItem>
      </Menu>
      {archive.error && <ErrorNotice error={archive.error} />}
      {open === 'label' && <LabelRun run={run} close={close} />}
      {open === 'delete' && <RunDelete run={run} close={close} />}
    </>
  );
}
