import type { AuditEntry } from '#lib/contracts/audit';
import { beginning, table } from './table.js';

const [MAX_NAME, MAX_FIELDS] = [40, 60];

/** A line for each entry; what exactly changed is in its JSON. */
export const auditTable = (entries: readonly AuditEntry[]): string[] =>
  table([
    ['time', 'who', 'with', 'from', 'action', 'subject', 'changed'],
    ...entries.map((entry) => [
      entry.at,
      beginning(whoOf(entry), MAX_NAME),
      beginning(wayOf(entry), MAX_NAME),
      entry.address ?? '-',
      entry.count > 1 ? `${entry.action} (${entry.count} times)` : entry.action,
      beginning(entry.subject_name ?? entry.subject, MAX_NAME),
      beginning(entry.changes.map(({ field }) => field).join(', '), MAX_FIELDS),
    ]),
  ]);

function whoOf({ user, cause }: AuditEntry): string {
  if (user) return user.name ?? user.id;
  return cause === null ? 'unknown' : 'Toolmark';
}

function wayOf({ token, session_id: session, cause }: AuditEntry): string {
  if (token) return `token ${token.name ?? token.id}`;
  return session === null ? (cause ?? '-') : 'a session';
}
