import type { Redis } from 'ioredis';
import { withAdvisoryLock } from '#lib/db/connection/advisory-lock';
import type { Pool } from '#lib/db/connection/pool';
import { finishRun, finishTarget, type RunToFinish, type TargetToFinish } from '#lib/db/engine/finish-run';
import { stopIfOverBudget, type RunToStop } from '#lib/db/engine/run-budget';
import { resultsOfTarget } from '#lib/db/read/for-workers/results-of-target';
import { notify } from '#lib/events/notifications';
import { SummaryBuilder } from '#lib/scoring/statistics/summarise';

/** Finishes what is done: a target gets its summary, then its run ends, and with the run its job. */
export class Finisher {
  constructor(
    readonly deps: {
      pool: Pool;
      locks: Pool;
      redis: Redis;
      onTargetFinished: () => void;
      /** Another job may have been waiting for this one. */
      onJobFinished: () => void;
    },
  ) {}

  async finishTarget({ target, ...done }: TargetToFinish, signal: AbortSignal): Promise<void> {
    const { pool, locks, onTargetFinished } = this.deps;
    const { runId, ordinal } = done;
    await withAdvisoryLock(locks, `finish ${runId} ${ordinal}`, async () => {
      const summary = new SummaryBuilder();
      for await (const page of resultsOfTarget(pool, runId, ordinal)) {
        signal.throwIfAborted();
        for (const item of page) summary.add(item);
      }
      await finishTarget(pool, done, { ...summary.finish(), target });
    });
    onTargetFinished();
  }

  /** Stops a run that has spent its budget. */
  async stopIfOverBudget(run: RunToStop): Promise<void> {
    await this.#announce(await stopIfOverBudget(this.deps.pool, run));
  }

  async finishRun(run: RunToFinish): Promise<void> {
    await this.#announce(await finishRun(this.deps.pool, run));
  }

  async #announce(jobId: string | undefined): Promise<void> {
    if (jobId === undefined) return;
    this.deps.onJobFinished();
    await notify(this.deps.redis, { topic: 'job', id: jobId });
  }
}
