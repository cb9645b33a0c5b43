import type { Case } from '#lib/contracts/case';
import type { SuiteChanges, SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import { pagesQuery, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

const pathOf = (suiteId: string): string => `/api/tool-suites/${encodeURIComponent(suiteId)}/versions`;
const keyOf = (suiteId: string) => [...keys.suite(suiteId), 'versions'] as const;

/** Versions pinned by runs never change; the current version may. */
export const versionsQuery = (suiteId: string) =>
  pagesQuery<SuiteVersionHead>(keyOf(suiteId), `${pathOf(suiteId)}?limit=50`);

export const versionQuery = (suiteId: string, version: string) =>
  readQuery<SuiteVersion>([...keyOf(suiteId), version], `${pathOf(suiteId)}/${encodeURIComponent(version)}`);

export const changesQuery = (suiteId: string, from: number, to: number) =>
  readQuery<SuiteChanges>([...keyOf(suiteId), from, 'changes', to], `${pathOf(suiteId)}/${from}/changes?to=${to}`);

export const caseOfVersionQuery = (suiteId: string, version: number, caseId: string) =>
  readQuery<Case>([...keyOf(suiteId), version, 'cases', caseId], `${pathOf(suiteId)}/${version}/cases/${caseId}`);
