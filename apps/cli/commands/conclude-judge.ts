import type { ApiClient } from '#lib/client/api-client';
import type { JudgeReport, JudgeSubmitted } from '#lib/judge/contract';
import type { GlobalOptions } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import { readReport } from '../lookup/find-report.js';
import { reportLines } from '../output/judge-lines.js';
import { print, printError, printJson } from '../output/terminal.js';

export type SubmittedReport = Pick<JudgeSubmitted, 'job_id' | 'report_id'>;

/** Says what was submitted, or what the judge says when it is watched. */
export async function followReport(
  client: ApiClient,
  submitted: SubmittedReport,
  { watch, json }: GlobalOptions & { watch?: boolean },
): Promise<void> {
  const { job_id: jobId, report_id: id } = submitted;
  if (!watch) {
    if (json) printJson(submitted);
    else print(`Submitted: report ${id}, job ${jobId}`, `Follow it with: toolmark judges show ${id} --watch`);
    return;
  }
  concludeReport(await watchToEnd(client, submitted, { json }), { json });
}

/** Waits for the end of a report. */
export async function watchToEnd(
  client: ApiClient,
  { job_id: jobId, report_id: id }: SubmittedReport,
  { json }: GlobalOptions,
): Promise<JudgeReport> {
  const { watchReport } = await import('../watch-report.js');
  return watchReport(client, jobId, () => readReport(client, id), { silent: json === true }).catch((error: Error) => {
    throw new Error(
      `Watching ended, but the judge goes on at the server: report ${id}, job ${jobId} (toolmark judges show ${id}).`,
      { cause: error },
    );
  });
}

function concludeReport(report: JudgeReport, options: GlobalOptions): void {
  if (options.json) printJson(report);
  else print(...reportLines(report));
  exitByStatus(report, options);
}

/** A report that was stopped says nothing of what it has not judged. */
export function exitByStatus({ status, job_id: jobId }: JudgeReport, { json }: GlobalOptions): void {
  if (status === 'completed') return;
  exitWith(EXIT.negative);
  if (!json) printError(`The report is ${status}. Go on with: toolmark resume ${jobId}`);
}
