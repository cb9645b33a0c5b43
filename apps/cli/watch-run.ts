import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#lib/client/api-client';
import { LiveUnavailable, watchJob } from '#lib/client/watch-job';
import { isFinished } from '#lib/contracts/job';
import type { Run, RunWarning } from '#lib/contracts/run';
import { progressLines } from './show.js';
import { drawing, tell } from './terminal.js';

/**
 * A proxy that lets no WebSocket through, or a server that is being restarted: after this long, HTTP is asked
 * instead.
 */
const LIVE_PATIENCE_MS = 5000;
const POLL_MS = 500;

/** Follows a run to its end, with a bar for each model where somebody looks, and answers it with its summaries. */
export async function watchRun(
  client: ApiClient,
  jobId: string,
  runId: string,
  { silent }: { silent: boolean },
): Promise<Run> {
  const bars = silent ? undefined : drawing();
  const warned = new Set<string>();
  const warn = ({ code, message }: Pick<RunWarning, 'code' | 'message'>): void => {
    if (silent || warned.has(code)) return;
    warned.add(code);
    bars?.clear();
    tell(`Warning: ${message ?? code}`);
  };
  const job = await client.job(jobId);
  if (job.status === 'pending' && job.detail && !silent) tell(job.detail);
  try {
    for await (const entry of watchJob(client.serverUrl, client.token, jobId, 0, LIVE_PATIENCE_MS)) {
      if (entry.name === 'tool_eval_progress')
        bars?.show((columns, rows) => progressLines(entry.progress.targets, columns, rows));
      else if (entry.name === 'eval_warning') warn(entry.event.data);
    }
  } catch (error) {
    if (!(error instanceof LiveUnavailable)) throw error;
    if (!silent) (bars?.clear(), tell(`${error.message} Asking every ${POLL_MS} ms instead.`));
  }
  for (;;) {
    const now = await client.run(runId);
    bars?.show((columns, rows) => progressLines(now.targets, columns, rows));
    now.warnings.forEach(warn);
    const summarised = now.summaries.length === now.targets.length || now.counts.settled === 0;
    if (isFinished(now.status) && summarised) return now;
    await delay(POLL_MS);
  }
}
