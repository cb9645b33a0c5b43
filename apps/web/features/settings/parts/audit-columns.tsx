import type { AuditEntry } from '#lib/contracts/audit';
import { count } from '../../../ui/amounts';
import { DOWN, Mark } from '../../../ui/status';
import type { Column } from '../../../ui/table';
import { Moment } from '../../../ui/time';
import { UserLine, visible } from '../../../ui/user-text';
import { actionWords, isRefusal } from '../audit';
import { detailsId } from './audit-details';
import css from './access.module.css';

interface Unfolding {
  isOpen: (entry: AuditEntry) => boolean;
  toggle: (entry: AuditEntry) => void;
}

/** The columns of the audit; what a row changed is shown below it. */
export const auditColumns = ({ isOpen, toggle }: Unfolding): Column<AuditEntry>[] => [
  {
    name: 'What',
    className: 'named',
    isHeading: true,
    cell: (entry) => (
      <button
        type="button"
        className={`plain dense ${css.unfolds}`}
        aria-expanded={isOpen(entry)}
        aria-controls={isOpen(entry) ? detailsId(entry) : undefined}
        title={entry.action}
        onClick={() => toggle(entry)}
      >
        <span aria-hidden="true">{isOpen(entry) ? '▾' : '▸'}</span>{' '}
        {isRefusal(entry.action) && <Mark {...DOWN}>refused</Mark>} {actionWords(entry.action)}
        {entry.count > 1 && <strong> {count(entry.count)} times</strong>}
      </button>
    ),
  },
  { name: 'When', className: css.when, cell: ({ at }) => <Moment at={at} /> },
  { name: 'Who', className: 'named', cell: (entry) => <Who entry={entry} /> },
  {
    name: 'Subject',
    className: 'named',
    cell: (entry) => <UserLine text={subjectOf(entry)} />,
    cellProps: ({ subject }) => ({ title: visible(subject) }),
  },
  { name: 'Changed', className: 'named', cell: ({ changes }) => visible(fieldsOf(changes)) },
];

function Who({ entry: { user, token, session_id: session, cause } }: { entry: AuditEntry }) {
  const way = token ? `token ${token.name ?? 'that is gone'}` : session !== null ? 'in a browser' : cause;
  return (
    <>
      <UserLine text={user ? (user.name ?? 'somebody who left') : cause !== null ? 'Toolmark' : 'unknown'} />
      {way && <span className="small muted given-line">{visible(way.slice(0, MAX))}</span>}
    </>
  );
}
const MAX = 200;

/** The end of an id tells those of a day apart. */
const ID = /[\da-f]{8}-[\da-f-]{19}([\da-f]{8})/g;

/** The name of what was changed, which a deleted one has in its entry alone; the end of its id if it has none. */
function subjectOf({ subject, subject_name: known, changes, action }: AuditEntry): string {
  if (isRefusal(action)) return subject;
  const named = changes.find(({ field }) => field === 'name');
  const name = known ?? named?.after ?? named?.before;
  return typeof name === 'string' ? name : subject.replaceAll(ID, '…$1');
}

const SHOWN = 3;
function fieldsOf(changes: AuditEntry['changes']): string {
  const names = changes.slice(0, SHOWN).map(({ field }) => field);
  const more = changes.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
