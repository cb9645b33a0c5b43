import type { ApiClient } from '#lib/client/api-client';
import type { JudgeReport } from '#lib/judge/contract';
import { NegativeAnswer } from '../exit-codes.js';
import { newestWithPrefix, undefinedIfNotFound } from './find-run.js';
import { isIdPrefix, isWholeId, startsWithId, onlyMatch } from './match.js';

export const JUDGE_ROUTE = '/api/judge';
export const REPORTS_ROUTE = `${JUDGE_ROUTE}/reports`;

export const readReport = (client: ApiClient, id: string): Promise<JudgeReport> =>
  client.call('GET', `${REPORTS_ROUTE}/${id}`);

/** Finds a judge report by its id, the id of its job, or a prefix of either. */
export async function findReport(client: ApiClient, wanted: string): Promise<JudgeReport> {
  if (isWholeId(wanted)) {
    const report = await readReport(client, wanted).catch(undefinedIfNotFound);
    if (report) return report;
    const job = await client.job(wanted).catch(undefinedIfNotFound);
    if (job?.type === 'judge' && job.result_ref !== null) return readReport(client, job.result_ref);
    throw notFound(wanted);
  }
  if (!isIdPrefix(wanted)) throw notFound(wanted);
  const isMeant = ({ id, job_id: jobId }: JudgeReport): boolean =>
    startsWithId(id, wanted) || startsWithId(jobId, wanted);
  const { id } = onlyMatch(await newestWithPrefix<JudgeReport>(client, REPORTS_ROUTE, wanted, isMeant), {
    none: () => notFound(wanted).message,
    several: (count) => `${count} reports begin with "${wanted}". Use a longer prefix:`,
    each: (one) => `${one.id} (${one.judge} of run ${one.eval_id}, ${one.status}, ${one.created_at})`,
  });
  return readReport(client, id);
}

const notFound = (id: string): NegativeAnswer =>
  new NegativeAnswer(`No judge report has the id "${id}". List them with: toolmark judges`);
