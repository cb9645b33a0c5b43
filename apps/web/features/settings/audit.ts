import { AUDIT_ACTIONS } from '#lib/contracts/audit-actions';
import type { AuditEntry } from '#lib/contracts/audit';
import { pagesQuery, pathWith } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { dayStart } from '../runs/address';
import { membersQuery, tokensQuery } from './access';
import type { AuditSearch } from './address';
import { loadTeams } from './operator';

// The audit. The first view does without.

const ROUTE = '/api/audit';

const filterOf = ({ person, token, request, from, to, team, ...same }: AuditSearch) => ({
  ...same,
  user_id: person,
  token_id: token,
  request_id: request,
  from: from && dayStart(from),
  to: to && dayStart(to, 1),
  team_id: team,
});

/** The newest entries. */
export const auditQuery = (search: AuditSearch) =>
  pagesQuery<AuditEntry>(keys.audit, pathWith(ROUTE, { limit: 50, ...filterOf(search) }));

/** All entries of a filter, as JSON lines. */
export const auditExportPath = (search: AuditSearch): string => pathWith(`${ROUTE}/export`, filterOf(search));

/** @returns the names of the actions to filter by: each alone, and those about the same kind of thing together */
export function auditActions(): { value: string; name: string }[] {
  const actions = Object.keys(AUDIT_ACTIONS);
  const kinds = new Set(actions.map((action) => action.slice(0, action.indexOf('.') + 1)));
  return [...kinds].flatMap((kind) => [
    { value: kind, name: `${kindWords(kind)}: anything` },
    ...actions
      .filter((action) => action.startsWith(kind))
      .map((action) => ({ value: action, name: actionWords(action) })),
  ]);
}

const kindWords = (kind: string): string => {
  const words = kind.replace('.', '').replaceAll('_', ' ');
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
};

/** What an action, or the beginning of several, says: "A provider was changed". A later release may have others. */
export function actionWords(action: string): string {
  if (action.endsWith('.')) return `${kindWords(action)}: anything`;
  if (!Object.hasOwn(AUDIT_ACTIONS, action)) return action;
  const [sentence] = AUDIT_ACTIONS[action as keyof typeof AUDIT_ACTIONS].split(/\.(?: |$)/);
  return sentence!;
}

/** A refusal changed nothing. */
export const isRefusal = (action: string): boolean => action.startsWith('refused.');

export async function loadAudit(search: AuditSearch): Promise<unknown> {
  const me = await loadTeams();
  if (me?.role !== 'owner') return;
  return Promise.allSettled([
    queryClient.ensureInfiniteQueryData(auditQuery(search)),
    queryClient.ensureInfiniteQueryData(membersQuery),
    queryClient.ensureInfiniteQueryData(tokensQuery),
  ]);
}
