import type { Redis } from 'ioredis';
import { exclusively, type Pool } from '#lib/db/connection/pool';
import { finishRun, finishTarget, type DoneRun, type DoneTarget } from '#lib/db/engine/finish-run';
import { stopIfSpent, type MaybeSpent } from '#lib/db/engine/run-budget';
import { resultsOfTarget } from '#lib/db/read/results';
import { notify } from '#lib/events/notifications';
import { createSummary } from '#lib/scoring/statistics/summarise';

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

  async finishTarget({ target, ...done }: DoneTarget, signal: AbortSignal): Promise<void> {
    const { pool, locks, onTargetFinished } = this.deps;
    const { runId, ordinal } = done;
    await exclusively(locks, `finish ${runId} ${ordinal}`, async () => {
      const summary = createSummary({ seed: ordinal });
      for await (const page of resultsOfTarget(pool, runId, ordinal)) {
        signal.throwIfAborted();
        for (const item of page) summary.add(item);
      }
      await finishTarget(pool, done, { ...summary.finish(), target });
    });
    onTargetFinished();
  }

  /** Stops a run that has spent its budget. */
  async stopIfSpent(run: MaybeSpent): Promise<void> {
    await this.#announce(await stopIfSpent(this.deps.pool, run));
  }

  async finishRun(run: DoneRun): Promise<void> {
    await this.#announce(await finishRun(this.deps.pool, run));
  }

  async #announce(jobId: string | undefined): Promise<void> {
    if (jobId === undefined) return;
    this.deps.onJobFinished();
    await notify(this.deps.redis, { topic: 'job', id: jobId });
  }
}
