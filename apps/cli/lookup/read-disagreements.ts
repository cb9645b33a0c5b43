import type { ApiClient } from '#lib/client/api-client';
import type { Judgement, JudgeReport } from '#lib/judge/contract';
import { countDisagreements, DISAGREEMENTS, type Disagreement, type DisagreementKind } from '../reports/judge.js';
import { REPORTS_ROUTE } from './find-report.js';

/** Maximum number that is read of each kind. */
const MAX_DISAGREEMENTS = 20;

const FILTERS: Record<DisagreementKind, string> = {
  expectation_at_fault: 'expectation_at_fault=true',
  kinder: 'agreement=kinder',
  stricter: 'agreement=stricter',
};

/** The first disagreements of each kind in a report, those with a wrong expectation first. */
export async function readDisagreements(client: ApiClient, report: JudgeReport): Promise<Disagreement[]> {
  const found: Disagreement[] = [];
  for (const kind of DISAGREEMENTS) {
    const total = countDisagreements(report, kind);
    if (total === 0) continue;
    const path = `${REPORTS_ROUTE}/${report.id}/verdicts?${FILTERS[kind]}`;
    const { items } = await client.page<Judgement>(path, MAX_DISAGREEMENTS);
    found.push({ kind, total, judgements: items });
  }
  return found;
}
