import type { CaseResult } from '#lib/contracts/case-result';
import { pagesQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

/** The results of a case in all runs, the newest run first. */
export const caseResultsQuery = (suiteId: string, caseId: string) =>
  pagesQuery<CaseResult>(
    [...keys.cases(suiteId), caseId, 'results'],
    `/api/tool-suites/${encodeURIComponent(suiteId)}/cases/${encodeURIComponent(caseId)}/results?limit=200`,
  );
