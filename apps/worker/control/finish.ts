import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import { hasEnded, readExperiment, readRun } from '#lib/db/engine/experiment-pairs';
import { finishRun, finishTarget, type RunToFinish, type TargetToFinish } from '#lib/db/engine/finish-run';
import type { ComparedRun } from '#lib/db/engine/place-run';
import { stopIfOverBudget, type RunToStop } from '#lib/db/engine/run-budget';
import { startJobsOf, type WaitingUser } from '#lib/db/engine/start-pending-jobs';
import { settleUnasked, type UnaskedTarget } from '#lib/db/engine/unasked-items';
import { resultsOfTarget } from '#lib/db/read/for-workers/results-of-target';
import { notify } from '#lib/events/notifications';
import type { Redis } from '#lib/runtime/redis';
import { SummaryBuilder } from '#lib/scoring/statistics/summarise';
import { isGone, type ComparePair } from './compare-pair.js';

/** A run whose comparison takes longer ends without it, and is compared afterwards. */
const COMPARE_TIMEOUT_MS = 30_000;

/** Finishes completed work: a target gets its summary, then its run ends, and its job with it. */
export class Finisher {
  constructor(
    readonly deps: {
      pool: Pool;
      locks: Pool;
      redis: Redis;
      compare: ComparePair;
      onTargetFinished: () => void;
      /** Another job may have been waiting for this one. */
      onJobFinished: () => void;
      onPlaced: () => void;
      onCompareFailure: (error: Error, run: RunToFinish) => void;
    },
  ) {}

  async finishTarget({ target, ...done }: TargetToFinish, signal: AbortSignal): Promise<void> {
    const { pool, locks, onTargetFinished } = this.deps;
    const { runId, ordinal } = done;
    await withLease(locks, `finish ${runId} ${ordinal}`, async () => {
      const summary = new SummaryBuilder();
      for await (const page of resultsOfTarget(pool, runId, ordinal)) {
        signal.throwIfAborted();
        for (const item of page) summary.add(item);
      }
      await finishTarget(pool, done, { ...summary.finish(), target });
    });
    onTargetFinished();
  }

  /** Settles the next items of a target that no longer takes requests. */
  async settleUnasked(target: UnaskedTarget): Promise<void> {
    const settled = await settleUnasked(this.deps.pool, target);
    if (!settled) return;
    await notify(this.deps.redis, { topic: 'job', id: settled.jobId });
    this.deps.onTargetFinished();
  }

  /** Stops a run that has spent its budget. */
  async stopIfOverBudget(run: RunToStop): Promise<void> {
    await this.#announce(await stopIfOverBudget(this.deps.pool, run));
  }

  /** Starts the jobs of somebody who waited for those of others. */
  async startJobs({ userId }: WaitingUser): Promise<void> {
    const { pool, redis, onJobFinished } = this.deps;
    const jobs = await startJobsOf(pool, userId);
    if (jobs.length === 0) return;
    onJobFinished();
    for (const id of jobs) await notify(redis, { topic: 'job', id });
  }

  async finishRun(run: RunToFinish, stop: AbortSignal): Promise<void> {
    const { pool, onPlaced } = this.deps;
    if (run.experimentId === null) return this.#announce(await finishRun(pool, run));
    // Comparing is slow enough that only one process should do it.
    await withLease(pool, `finish ${run.id}`, async (lost) => {
      const signal = AbortSignal.any([stop, lost]);
      await this.#announce(await finishRun(pool, run, await this.#compare(run, signal)));
    });
    onPlaced();
  }

  /** Compares a run with the baseline of its experiment. @returns undefined when the experiment or the run is gone */
  async #compare(found: RunToFinish, stop: AbortSignal): Promise<ComparedRun | undefined> {
    const { pool, compare, onCompareFailure } = this.deps;
    const experiment = await readExperiment(pool, found.experimentId!);
    const run = await readRun(pool, found.id);
    if (!experiment || !run) return undefined;
    const { baseline } = experiment;
    const compared = { experimentId: experiment.id, run, baseline, pair: null };
    if (!baseline || baseline.id === run.id || !hasEnded(baseline)) return compared;
    try {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(COMPARE_TIMEOUT_MS)]);
      return { ...compared, pair: await compare(experiment, run, baseline, signal) };
    } catch (error) {
      stop.throwIfAborted();
      if (!isGone(error)) onCompareFailure(error as Error, found);
      return compared;
    }
  }

  async #announce(jobId: string | undefined): Promise<void> {
    if (jobId === undefined) return;
    this.deps.onJobFinished();
    await notify(this.deps.redis, { topic: 'job', id: jobId });
  }
}
