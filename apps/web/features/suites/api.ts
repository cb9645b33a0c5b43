import type { Case } from '#lib/contracts/case';
import type { Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Page } from '#lib/contracts/page';
import type { CaseLabels, Suite, SuiteHead } from '#lib/contracts/suite';
import type { SuiteChanges, SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import type { Trends } from '#lib/contracts/trend';
import type { Sent } from '../../api/action';
import { client, pagesQuery, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

const ROUTE = '/api/tool-suites';
const pathOf = (suiteId: string): string => `${ROUTE}/${encodeURIComponent(suiteId)}`;
const versionPathOf = (suiteId: string, version: string | number): string =>
  `${pathOf(suiteId)}/versions/${encodeURIComponent(version)}`;

const CHOICES = 20;
/** Suites to choose from, the newest first. @param name part of the name; empty for all */
export const suiteChoicesQuery = (name: string) =>
  readQuery<Page<SuiteHead>>([...keys.suites, 'choices'], pathWith(ROUTE, { lean: true, limit: CHOICES, name }));

/** What a picker of suites offers first. */
export const suiteHeadsQuery = suiteChoicesQuery('');

/** @param name part of the name; empty for all */
export const suitesQuery = (name: string) =>
  pagesQuery<SuiteHead>([...keys.suites, 'list'], pathWith(ROUTE, { lean: true, limit: 50, name }));

export const suiteQuery = (suiteId: string) =>
  readQuery<Suite>(keys.suite(suiteId), pathWith(pathOf(suiteId), { cases: false }));

export const caseLabelsQuery = (suiteId: string) =>
  readQuery<CaseLabels>(keys.suite(suiteId), `${pathOf(suiteId)}/case-labels`);

/** Drawn runs of each model. */
const TREND_POINTS = 200;
/** How the models of a suite went: one model, or those that changed most. */
export const trendQuery = (suiteId: string, { model, part }: { model?: string; part?: string }) =>
  readQuery<Trends>(
    [...keys.suite(suiteId), 'trend'],
    pathWith('/api/trends', { suite_id: suiteId, points: TREND_POINTS, model, part }),
  );

/** Versions pinned by runs never change; the current version may. */
export const versionsQuery = (suiteId: string) =>
  pagesQuery<SuiteVersionHead>(keys.suite(suiteId), pathWith(`${pathOf(suiteId)}/versions`, { limit: 50 }));

/** The newest versions of a suite, or from a number that was typed. */
export const versionChoicesQuery = (suiteId: string, typed: string) => {
  const cursor = /^\d{1,9}$/.test(typed) ? Number(typed) + 1 : undefined;
  return readQuery<Page<SuiteVersionHead>>(
    keys.suite(suiteId),
    pathWith(`${pathOf(suiteId)}/versions`, { limit: 20, cursor }),
  );
};

export const versionQuery = (suiteId: string, version: string) =>
  readQuery<SuiteVersion>(keys.suite(suiteId), versionPathOf(suiteId, version));

export const changesQuery = (suiteId: string, from: number, to: number) =>
  readQuery<SuiteChanges>(keys.suite(suiteId), pathWith(`${versionPathOf(suiteId, from)}/changes`, { to }));

export const caseOfVersionQuery = (suiteId: string, version: number, caseId: string) =>
  readQuery<Case>(keys.suite(suiteId), `${versionPathOf(suiteId, version)}/cases/${encodeURIComponent(caseId)}`);

type SavedSuite = Suite & { warnings: string[] };

// Bodies are sent as text, so that keys like "2" keep their order, and numbers their spelling.

export const createSuite = (input: Json, options: Sent): Promise<SavedSuite> =>
  client.call('POST', ROUTE, stringifyInSourceOrder(input), options);

export const changeSuite = (suiteId: string, patch: Json, options: Sent): Promise<SavedSuite> =>
  client.call('PATCH', pathOf(suiteId), stringifyInSourceOrder(patch), options);

export const deleteSuite = (suiteId: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(suiteId), undefined, options);

/** Shows a suite as it was saved, and refreshes everything about suites. */
export function showSaved({ warnings: _warnings, ...suite }: SavedSuite): void {
  queryClient.setQueryData(suiteQuery(suite.id).queryKey, suite);
  void refreshSuites();
}

export const refreshSuites = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.suites });
