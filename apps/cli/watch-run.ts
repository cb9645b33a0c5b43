import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#lib/client/api-client';
import { LiveUnavailable } from '#lib/client/job-watch';
import { watchJob } from '#lib/client/watch-job';
import { isFinished } from '#lib/contracts/values/jobs';
import { NO_WORKER } from '#lib/contracts/values/jobs';
import type { Job } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import type { RunTarget, RunWarning } from '#lib/contracts/run-target';
import { progressBars } from './output/progress-bars.js';
import { openStatusArea, printError, printWarning } from './output/terminal.js';

/**
 * How long the command waits for a live connection before it polls over HTTP: a proxy may block WebSockets, or the
 * server may be restarting.
 */
const LIVE_TIMEOUT_MS = 5000;
const POLL_MS = 500;

/** Follows a run to its end, with a bar for each model on a terminal, and returns it with its summaries. */
export async function watchRun(
  client: ApiClient,
  jobId: string,
  runId: string,
  { silent }: { silent: boolean },
): Promise<Run> {
  const screen = watchScreen(silent);
  const job = await client.job(jobId);
  if (job.detail && (job.status === 'pending' || job.detail.startsWith(NO_WORKER))) screen.note(job.detail);
  try {
    for await (const entry of watchJob(client.serverUrl, jobId, {
      token: client.token,
      patienceMs: LIVE_TIMEOUT_MS,
    })) {
      if (entry.name === 'tool_eval_progress') screen.progress(entry.progress.targets);
      else if (entry.name === 'eval_warning') screen.warning(entry.event.data);
    }
  } catch (error) {
    if (!(error instanceof LiveUnavailable)) throw error;
    screen.note(`${error.message} Polling every ${POLL_MS} ms instead.`);
  }
  for (;;) {
    const run = await client.run(runId);
    screen.progress(run.targets);
    run.warnings.forEach(screen.warning);
    const isSummarised = run.summaries.length === run.targets.length || run.counts.settled === 0;
    if (isFinished(run.status) && isSummarised) return run;
    await delay(POLL_MS);
  }
}

/**
 * Waits for the end of a job without models of its own to show.
 * @param news called now and then for further lines
 */
export async function watchWork(
  client: ApiClient,
  jobId: string,
  { silent, news }: { silent: boolean; news?: () => Promise<string[]> },
): Promise<Job> {
  const screen = watchScreen(silent);
  for (;;) {
    const job = await client.job(jobId);
    const { done, total, errored } = job.progress;
    screen.progress([{ target: job.type, settled: done, total, errored }]);
    (await news?.())?.forEach(screen.note);
    if (isFinished(job.status)) return job;
    await delay(POLL_MS);
  }
}

/** Shows the progress of a watch, its notes, and each warning once. */
function watchScreen(silent: boolean) {
  const bars = silent ? undefined : openStatusArea();
  const warned = new Set<string>();
  return {
    progress(targets: readonly Pick<RunTarget, 'target' | 'settled' | 'total' | 'errored'>[]): void {
      bars?.show((columns, rows) => progressBars(targets, columns, rows));
    },
    note(text: string): void {
      if (silent) return;
      bars?.clear();
      printError(text);
    },
    warning({ code, message }: Pick<RunWarning, 'code' | 'message'>): void {
      if (silent || warned.has(code)) return;
      warned.add(code);
      bars?.clear();
      printWarning(message ?? code);
    },
  };
}
