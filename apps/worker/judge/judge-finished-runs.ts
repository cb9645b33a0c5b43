import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool } from '#lib/db/connection/pool';
import { notify } from '#lib/events/notifications';
import { abandonJudging, judgeFinishedRun, runsToJudge, type RunToJudge } from '#lib/judge/rows/judge-of-run';
import type { Redis } from '#lib/runtime/redis';
import { RetryBackoff } from '../orchestration/retry-backoff.js';

/** Submits the reports that runs request when they have ended. */
export class FinishedRunJudge {
  readonly #backoff = new RetryBackoff();

  constructor(readonly deps: { pool: Pool; redis: Redis; onSubmitted: () => void }) {}

  /** The ended runs that may request a judge, except those that failed a moment ago. */
  toJudge(): Promise<RunToJudge[]> {
    return runsToJudge(this.deps.pool, this.#backoff.waiting());
  }

  /**
   * Submits the judgement of an ended run, if the run or its team asks for it. A failure does not hold up other runs.
   */
  async judge(run: RunToJudge): Promise<void> {
    const { pool, redis, onSubmitted } = this.deps;
    try {
      const jobId = await judgeFinishedRun(pool, run).catch(async (error: Error) => {
        if (!(error instanceof ProblemError)) throw error;
        await abandonJudging(pool, run, error.message);
      });
      this.#backoff.clear(run.id);
      if (!jobId) return;
      onSubmitted();
      await notify(redis, { topic: 'job', id: jobId });
    } catch (error) {
      this.#backoff.add(run.id);
      throw error;
    }
  }
}
