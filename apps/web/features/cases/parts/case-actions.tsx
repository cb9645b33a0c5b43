import { toText } from '#lib/contracts/json/json';
import { newIdempotencyKey } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Menu, MenuItem, MenuLink } from '../../../ui/menu';
import { undo } from '../../../ui/undo';
import { refreshSuites } from '../../suites/api';
import { caseQuery, deleteCase, type StoredCase } from '../api';

interface Props {
  suiteId: string;
  stored: StoredCase;
  /** Leaves what shows the case. */
  onDelete?: () => unknown;
}

const nameOf = ({ name, position }: StoredCase): string => toText(name ?? '') || `Case ${position + 1}`;

/** What can be done with a case, as items of a menu. */
export function CaseMenu({ suiteId, stored, onDelete }: Props) {
  const refusal = useRefusal('editor');
  const remove = (): void => {
    undo.later({
      text: `${nameOf(stored).slice(0, 80)} deleted.`,
      id: stored.id,
      act: async () => {
        await deleteCase(suiteId, stored.id, { idempotencyKey: newIdempotencyKey() });
        queryClient.removeQueries({ queryKey: caseQuery(suiteId, stored.id).queryKey });
        await refreshSuites();
      },
    });
    void onDelete?.();
  };
  return (
    <>
      <MenuLink to="/suites/$suiteId/cases/new" params={{ suiteId }} search={{ from: stored.id }}>
        Duplicate
      </MenuLink>
      <MenuItem danger refusal={refusal} onSelect={remove}>
        Delete
      </MenuItem>
    </>
  );
}

/** The same behind a button, in the row of a case. */
export const CaseActions = (props: Props) => (
  <Menu label={`Actions of ${nameOf(props.stored).slice(0, 80)}`}>
    <CaseMenu {...props} />
  </Menu>
);
