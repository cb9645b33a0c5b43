import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#lib/client/api-client';
import { isFinished } from '#lib/contracts/job-status';
import type { Job } from '#lib/contracts/job';
import type { JudgeReport } from '#lib/judge/contract';
import { askPatiently } from './ask-patiently.js';
import { judgeScreen } from './output/judge-screen.js';
import { openStatusArea, printError } from './output/terminal.js';

const POLL_MS = 1000;
/** Of the time of a watch, the share that reading the report may take: its figures are made of all judgements. */
const READING_SHARE = 0.1;
/** Where there is no terminal, it is told when so much more of the whole is done. */
const TOLD_SHARE = 0.1;

/** Follows a report of a judge to its end: drawn on a terminal, and elsewhere line by line. */
export async function watchReport(
  client: ApiClient,
  jobId: string,
  read: () => Promise<JudgeReport>,
  { silent }: { silent: boolean },
): Promise<JudgeReport> {
  const area = silent ? undefined : openStatusArea();
  const note = (text: string): void => {
    area?.clear();
    if (!silent) printError(text);
  };
  const tell = tellProgress();
  let report: JudgeReport | undefined;
  let readAgainAt = 0;
  for (;;) {
    const job = await askPatiently(() => client.job(jobId), note);
    if (isFinished(job.status)) break;
    if (area && performance.now() >= readAgainAt) {
      const before = performance.now();
      report = await askPatiently(read, note);
      readAgainAt = performance.now() + (performance.now() - before) / READING_SHARE;
    }
    const shown = report;
    if (area && shown) area.show((columns, rows) => judgeScreen({ report: shown, job }, columns, rows));
    else if (!silent) printError(...tell(job));
    await delay(POLL_MS);
  }
  area?.clear();
  return askPatiently(read, note);
}

/** Tells how far it is, now and then. What the judge says comes at the end, with its calibration. */
function tellProgress(): (job: Pick<Job, 'progress'>) => string[] {
  let told = 0;
  return ({ progress: { done, total, errored } }) => {
    if (total === 0 || done === 0 || done - told < total * TOLD_SHARE) return [];
    told = done;
    return [`${done} of ${total} requests done${errored > 0 ? `, ${errored} errored` : ''}`];
  };
}
