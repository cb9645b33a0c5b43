import { keepPreviousData } from '@tanstack/react-query';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { CallOptions } from '#lib/client/api-client';
import type { Suite, SuiteHead } from '#lib/contracts/suite';
import { client, pagesQuery, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

/** A stored case: its numbers keep their text, and unknown fields are preserved. */
export type StoredCase = JsonObject & { id: string; position: number };
type WithWarnings<Value> = Value & { warnings: string[] };
const pathOf = (suiteId: string): string => `/api/tool-suites/${encodeURIComponent(suiteId)}`;
const casePathOf = (suiteId: string, caseId: string): string =>
  `${pathOf(suiteId)}/cases/${encodeURIComponent(caseId)}`;

const filter = (name: string, text: string): string => (text === '' ? '' : `&${name}=${encodeURIComponent(text)}`);

/** @param name part of the name; empty for all */
export const suitesQuery = (name: string) => ({
  ...pagesQuery<SuiteHead>(
    [...keys.suites, 'lean', name],
    `/api/tool-suites?lean=true&limit=200${filter('name', name)}`,
  ),
  placeholderData: keepPreviousData,
});

export const suiteQuery = (suiteId: string) =>
  readQuery<Suite>([...keys.suite(suiteId), 'settings'], `${pathOf(suiteId)}?cases=false`);

/** @param text that the cases contain; empty for all */
export const casesQuery = (suiteId: string, text: string) => ({
  ...pagesQuery<StoredCase>(
    [...keys.cases(suiteId), 'list', text],
    `${pathOf(suiteId)}/cases?limit=100${filter('text', text)}`,
  ),
  placeholderData: keepPreviousData,
});

export const caseQuery = (suiteId: string, caseId: string) =>
  readQuery<StoredCase>([...keys.cases(suiteId), caseId], casePathOf(suiteId, caseId));

/** As text, so that keys like "2" keep their order, and numbers their spelling. */
const bodyOf = (value: Json): string => stringifyInSourceOrder(value);

export const createSuite = (input: Json, options: CallOptions): Promise<WithWarnings<Suite>> =>
  client.call('POST', '/api/tool-suites', bodyOf(input), options);

export const changeSuite = (suiteId: string, patch: Json, options: CallOptions): Promise<WithWarnings<Suite>> =>
  client.call('PATCH', pathOf(suiteId), bodyOf(patch), options);

export const deleteSuite = (suiteId: string, options: CallOptions): Promise<void> =>
  client.call('DELETE', pathOf(suiteId), undefined, options);

/** Creates a case if it has no id, otherwise replaces it. */
export const saveCase = (
  suiteId: string,
  caseId: string | undefined,
  input: Json,
  options: CallOptions,
): Promise<WithWarnings<StoredCase>> =>
  caseId === undefined
    ? client.call('POST', `${pathOf(suiteId)}/cases`, bodyOf(input), options)
    : client.call('PUT', casePathOf(suiteId, caseId), bodyOf(input), options);

export const deleteCase = (suiteId: string, caseId: string, options: CallOptions): Promise<void> =>
  client.call('DELETE', casePathOf(suiteId, caseId), undefined, options);
