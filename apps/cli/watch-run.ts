import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '#lib/client/api-client';
import { LiveUnavailable, watchJob } from '#lib/client/watch-job';
import { isFinished } from '#lib/contracts/job';
import type { Run, RunTarget } from '#lib/contracts/run';
import { progressLines } from './show.js';

/** A proxy that lets no WebSocket through, or a server that is being restarted: after this long, HTTP is asked instead. */
const LIVE_PATIENCE_MS = 5000;
const POLL_MS = 500;

/** Follows a run to its end, with a bar for each model where somebody looks, and answers it with its summaries. */
export async function watchRun(client: ApiClient, jobId: string, runId: string, { silent }: { silent: boolean }): Promise<Run> {
  const bars = !silent && process.stderr.isTTY ? drawBars(process.stderr) : undefined;
  const job = await client.job(jobId);
  if (job.status === 'pending' && !silent) console.error(job.detail);
  try {
    for await (const entry of watchJob(client.serverUrl, client.token, jobId, 0, LIVE_PATIENCE_MS)) {
      if (entry.name === 'tool_eval_progress') bars?.show(entry.progress.targets);
      else if (entry.name === 'eval_warning' && !silent) (bars?.clear(), console.error(`Warning: ${String(entry.event.data.message)}`));
    }
  } catch (error) {
    if (!(error instanceof LiveUnavailable)) throw error;
    if (!silent) (bars?.clear(), console.error(`${error.message} Asking every ${POLL_MS} ms instead.`));
  }
  for (;;) {
    const now = await client.run(runId);
    bars?.show(now.targets);
    const summarised = now.summaries.length === now.targets.length || now.counts.settled === 0;
    if (isFinished(now.status) && summarised) return now;
    await delay(POLL_MS);
  }
}

/** Lines that are drawn over again. */
function drawBars(terminal: NodeJS.WriteStream): { show(targets: RunTarget[]): void; clear(): void } {
  let drawn = 0;
  const back = (): string => (drawn ? `\u001b[${drawn}A\u001b[J` : '');
  return {
    show(targets) {
      const lines = progressLines(targets, terminal.columns || 80, (terminal.rows || 24) - 1);
      terminal.write(`${back()}${lines.map((line) => `${line}\n`).join('')}`);
      drawn = lines.length;
    },
    clear() {
      terminal.write(back());
      drawn = 0;
    },
  };
}
