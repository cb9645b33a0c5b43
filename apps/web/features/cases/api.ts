import type { CaseNeighbours } from '#lib/contracts/case';
import type { CaseVerdicts } from '#lib/contracts/case-result';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { ListedCase as ListedCaseSchema } from '#lib/contracts/suite';
import type { Sent } from '../../api/action';
import { client, pagesQuery, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

/** A stored case: its numbers keep their text, and unknown fields are preserved. */
export type StoredCase = JsonObject & { id: string; position: number };
type SavedCase = StoredCase & { warnings: string[] };

const routeOf = (suiteId: string): string => `/api/tool-suites/${encodeURIComponent(suiteId)}/cases`;
const pathOf = (suiteId: string, caseId: string): string => `${routeOf(suiteId)}/${encodeURIComponent(caseId)}`;

/** Which cases a list has. */
export interface CaseFilter {
  /** Text that they contain. */
  text?: string | undefined;
  tag?: string | undefined;
  category?: string | undefined;
  /** Whether they failed in the last run. */
  failed?: boolean | undefined;
}
export type ListedCase = StoredCase & Pick<ListedCaseSchema, 'last_run'>;

/** The cases of a list, with how the models of the last run did. */
export const casesQuery = (suiteId: string, { text, tag, category, failed }: CaseFilter) =>
  pagesQuery<ListedCase>(
    [...keys.cases(suiteId), 'list'],
    pathWith(routeOf(suiteId), { limit: 100, verdicts: true, text, tag, category, failed: failed || undefined }),
  );

export const caseQuery = (suiteId: string, caseId: string) =>
  readQuery<StoredCase>(keys.cases(suiteId), pathOf(suiteId, caseId));

export const neighboursQuery = (suiteId: string, caseId: string) =>
  readQuery<CaseNeighbours>(keys.cases(suiteId), `${pathOf(suiteId, caseId)}/neighbours`);

/** How each model did on a case in the newest runs. */
export const caseVerdictsQuery = (suiteId: string, caseId: string) =>
  readQuery<CaseVerdicts>(keys.cases(suiteId), `${pathOf(suiteId, caseId)}/verdicts?limit=8`);

/** Creates a case if it has no id, otherwise replaces it. */
export function saveCase(suiteId: string, caseId: string | undefined, input: Json, options: Sent): Promise<SavedCase> {
  // As text, so that keys like "2" keep their order, and numbers their spelling.
  const body = stringifyInSourceOrder(input);
  return caseId === undefined
    ? client.call('POST', routeOf(suiteId), body, options)
    : client.call('PUT', pathOf(suiteId, caseId), body, options);
}

export const deleteCase = (suiteId: string, caseId: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(suiteId, caseId), undefined, options);
