import type { ReactNode } from 'react';
import type { AuditEntry } from '#lib/contracts/audit';
import { CopyButton } from '../../../ui/buttons';
import { ChangesTable } from '../../../ui/changes-table';
import { UserText } from '../../../ui/user-text';
import type { AuditSearch } from '../address';
import css from './access.module.css';

export const detailsId = ({ id }: AuditEntry): string => `entry-${id}`;

interface Props {
  entry: AuditEntry;
  /** Lists the entries with the same value. */
  narrow: (filter: Partial<AuditSearch>) => void;
}

/** What an entry of the audit says besides: what changed, and where the request came from. */
export const AuditDetails = ({ entry, narrow }: Props) => (
  <div id={detailsId(entry)} className={css.details}>
    {entry.changes.length > 0 ? (
      <ChangesTable
        hasCards
        what="Field"
        a="Before"
        b="After"
        label={`What changed, ${entry.id}`}
        rows={entry.changes.map(({ field, before, after }) => ({ path: field, a: before, b: after }))}
      />
    ) : (
      <p className="muted">No fields are recorded.</p>
    )}
    <dl className="settings">
      {factsOf(entry).map(([name, value, filter]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {filter ? (
              <button type="button" className="hint" title="Show only these entries" onClick={() => narrow(filter)}>
                {value}
              </button>
            ) : (
              value
            )}
          </dd>
        </div>
      ))}
    </dl>
    <div className="actions">
      <CopyButton label="Copy as JSON" text={JSON.stringify(entry, null, 2)} />
    </div>
  </div>
);

type Fact = [name: string, value: ReactNode, filter?: Partial<AuditSearch>];
const text = (value: string, max = 300) => <UserText text={value} max={max} />;

function factsOf(entry: AuditEntry): Fact[] {
  const { at, action, subject, user, token, session_id: session, address, request_id: request, cause, count } = entry;
  const facts: (Fact | false)[] = [
    ['Time', new Date(at).toLocaleString()],
    ['Action', text(action), { action }],
    ['Subject', text(subject), { subject }],
    user !== null && ['Person', text(user.name ?? user.id), { person: user.id }],
    token !== null && ['Token', text(token.name ?? token.id), { token: token.id }],
    cause !== null && ['Cause', text(cause)],
    address !== null && ['Address', text(address), { address }],
    request !== null && ['Request', text(request), { request }],
    session !== null && ['Session', text(session)],
    count > 1 && ['Times in this minute', String(count)],
  ];
  return facts.filter((fact) => fact !== false);
}
