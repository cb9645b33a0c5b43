import type { Redis } from 'ioredis';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/job-status';
import { withLease } from '#lib/db/connection/lease';
import { isTransient, type Pool } from '#lib/db/connection/pool';
import { giveUpJudging, judgeFinishedRun, runsToJudge, type RunToJudge } from '#lib/judge/rows/judge-of-run';
import {
  commitStep,
  leaseOfSteps,
  orchestrationsToAdvance,
  readOrchestration,
  type Orchestration,
  type Step,
  type WaitingOrchestration,
} from '#lib/db/engine/orchestrations';
import { resumeChildren } from '#lib/db/engine/resume-orchestration';
import { tellOfFailures } from '#lib/db/engine/step-failures';
import { notify } from '#lib/events/notifications';
import { Setbacks } from './setbacks.js';

/**
 * What the next step of an orchestration does: a function of what is stored, and of nothing else. It may be called
 * again for the same step, and writes nothing that a second call would not write.
 * @throws ProblemError when the orchestration cannot go on: it fails, with that reason
 */
export type NextStep = (orchestration: Orchestration, signal: AbortSignal) => Promise<Step>;

/** A step may compare large runs, and wait for a thread that comparisons of two other teams take for all they may. */
const STEP_TIMEOUT_MS = 900_000;

/** Makes the next steps of orchestrations, and submits the reports that runs ask for when they have ended. */
export class Orchestrator {
  /** Of jobs and runs. An orchestration that is resumed has a new job, whose steps have not failed. */
  readonly #setbacks = new Setbacks();

  constructor(
    readonly deps: {
      pool: Pool;
      redis: Redis;
      /** Of each type. */
      nextSteps: Record<string, NextStep>;
      /** There is work for lanes. */
      onChildren: () => void;
      /** There is a next step, or another job may have been waiting for this one. */
      onMoreToDo: () => void;
      leaseMs?: number;
    },
  ) {}

  /** Those whose next step can be made, without those that failed a moment ago. */
  toAdvance(): Promise<WaitingOrchestration[]> {
    return orchestrationsToAdvance(this.deps.pool, this.#setbacks.waiting());
  }

  /** Those that have ended and may ask for a judge, without those that failed a moment ago. */
  toJudge(): Promise<RunToJudge[]> {
    return runsToJudge(this.deps.pool, this.#setbacks.waiting());
  }

  /** Has a run judged that has ended, where it or its team asks for that. What is wrong with one holds up no other. */
  async judge(run: RunToJudge): Promise<void> {
    const { pool, redis, onMoreToDo } = this.deps;
    try {
      const jobId = await judgeFinishedRun(pool, run).catch(async (error: Error) => {
        if (!(error instanceof ProblemError)) throw error;
        await giveUpJudging(pool, run, error.message);
      });
      this.#setbacks.clear(run.id);
      if (!jobId) return;
      onMoreToDo();
      await notify(redis, { topic: 'job', id: jobId });
    } catch (error) {
      this.#setbacks.add(run.id);
      throw error;
    }
  }

  async advance({ orchestrationId: id, jobId }: WaitingOrchestration, stop: AbortSignal): Promise<void> {
    const { pool, redis, onChildren, onMoreToDo, leaseMs } = this.deps;
    const step = async (lost: AbortSignal): Promise<void> => {
      try {
        const lanes = await this.#step(id, AbortSignal.any([stop, lost, AbortSignal.timeout(STEP_TIMEOUT_MS)]));
        this.#setbacks.clear(jobId);
        if (!lanes) return;
        if (lanes.length) onChildren();
        onMoreToDo();
        for (const lane of lanes) await notify(redis, { topic: 'lane', id: lane });
        await notify(redis, { topic: 'job', id: jobId });
      } catch (error) {
        // It was cancelled, or who has the lease now makes the step. What cannot be told now is told the next time.
        if (!stop.aborted && !lost.aborted)
          await this.#setBack({ orchestrationId: id, jobId }, error as Error).catch(() => {});
        throw error;
      }
    };
    await withLease(pool, leaseOfSteps(id), step, leaseMs);
  }

  async #setBack(of: Pick<WaitingOrchestration, 'orchestrationId' | 'jobId'>, error: Error): Promise<void> {
    const failures = this.#setbacks.add(of.jobId, error);
    if (isTransient(error) || !(await tellOfFailures(this.deps.pool, of, failures, error.message))) return;
    await notify(this.deps.redis, { topic: 'job', id: of.jobId });
  }

  /**
   * Makes the next step, or resumes some of the child runs. Since it was found, the job may have been cancelled, or
   * another worker may have made the step. The next one then has to wait for the child runs that it made: what they
   * have measured so far would decide.
   * @returns the lanes that have work now; undefined when there was no step to make
   */
  async #step(id: string, signal: AbortSignal): Promise<string[] | undefined> {
    const { pool, nextSteps } = this.deps;
    const orchestration = await readOrchestration(pool, id);
    if (orchestration?.resuming) return resumeChildren(pool, orchestration);
    if (!orchestration?.children.every(({ status }) => isFinished(status))) return undefined;
    try {
      return await commitStep(pool, orchestration, await nextSteps[orchestration.type]!(orchestration, signal));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { step: next, state } = orchestration;
      return commitStep(pool, orchestration, { state, next, end: { status: 'failed', error: error.message } });
    }
  }
}
