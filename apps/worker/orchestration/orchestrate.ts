import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import { withLease } from '#lib/db/connection/lease';
import { isTransient, type Pool } from '#lib/db/connection/pool';
import {
  commitStep,
  leaseOfSteps,
  orchestrationsToAdvance,
  readOrchestration,
  type OrchestrationEnd,
  type WaitingOrchestration,
} from '#lib/db/engine/orchestrations';
import { resumeChildren } from '#lib/db/engine/resume-orchestration';
import { tellOfFailures } from '#lib/db/engine/step-failures';
import { notify } from '#lib/events/notifications';
import type { Redis } from '#lib/runtime/redis';
import type { OrchestrationKind, StepContext } from './kind.js';
import { RetryBackoff } from './retry-backoff.js';

/** A step may compare large runs, and wait for a thread while comparisons of two other teams use their full time. */
const STEP_TIMEOUT_MS = 900_000;

/** Makes the next steps of orchestrations. */
export class Orchestrator {
  /** By job. A resumed orchestration has a new job, whose steps have not failed. */
  readonly #backoff = new RetryBackoff();

  constructor(
    readonly deps: {
      pool: Pool;
      redis: Redis;
      kinds: readonly OrchestrationKind[];
      /** The inputs of steps. */
      steps: Pick<StepContext, 'pool' | 'comparing'>;
      /** There is work for these lanes. */
      onChildren: (laneIds: string[]) => void;
      /** There is a next step, or another job may have been waiting for this one. */
      onMoreToDo: () => void;
      leaseMs?: number;
    },
  ) {}

  /** The orchestrations with a step to make, except those that failed a moment ago. */
  toAdvance(): Promise<WaitingOrchestration[]> {
    return orchestrationsToAdvance(this.deps.pool, this.deps.kinds, this.#backoff.waiting());
  }

  async advance({ orchestrationId: id, jobId }: WaitingOrchestration, stop: AbortSignal): Promise<void> {
    const { pool, redis, onChildren, onMoreToDo, leaseMs } = this.deps;
    const step = async (lost: AbortSignal): Promise<void> => {
      try {
        const lanes = await this.#step(id, AbortSignal.any([stop, lost, AbortSignal.timeout(STEP_TIMEOUT_MS)]));
        this.#backoff.clear(jobId);
        if (!lanes) return;
        if (lanes.length) onChildren(lanes);
        onMoreToDo();
        for (const lane of lanes) await notify(redis, { topic: 'lane', id: lane });
        await notify(redis, { topic: 'job', id: jobId });
      } catch (error) {
        // Otherwise it was cancelled, or the new holder of the lease makes the step. What cannot be logged now is
        // logged next time.
        if (!stop.aborted && !lost.aborted)
          await this.#setBack({ orchestrationId: id, jobId }, error as Error).catch(() => {});
        throw error;
      }
    };
    await withLease(pool, leaseOfSteps(id), step, leaseMs);
  }

  async #setBack(of: Pick<WaitingOrchestration, 'orchestrationId' | 'jobId'>, error: Error): Promise<void> {
    const failures = this.#backoff.add(of.jobId, error);
    if (isTransient(error) || !(await tellOfFailures(this.deps.pool, of, failures, error.message))) return;
    await notify(this.deps.redis, { topic: 'job', id: of.jobId });
  }

  /**
   * Makes the next step, or resumes some of the child runs. Since the orchestration was found, the job may have been
   * cancelled, or another worker may have made the step. The next step then has to wait for the child runs of that one:
   * otherwise their partial results would decide.
   * @returns the lanes that have work now; undefined when there was no step to make
   */
  async #step(id: string, signal: AbortSignal): Promise<string[] | undefined> {
    const { pool, kinds, steps } = this.deps;
    const orchestration = await readOrchestration(pool, id);
    if (orchestration?.resuming) return resumeChildren(pool, orchestration);
    if (!orchestration?.children.every(({ status }) => isFinished(status))) return undefined;
    try {
      const { nextStep } = kinds.find(({ type }) => type === orchestration.type)!;
      return await commitStep(pool, orchestration, await nextStep({ ...steps, orchestration, signal }));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { step: next, state } = orchestration;
      return commitStep(pool, orchestration, { state, next, end: endOf(error) });
    }
  }
}

/** Where a quota is reached, as that of items a day, the step can be made again once there is room: by a resume. */
const endOf = ({ code, message }: ProblemError): OrchestrationEnd =>
  code === 'quota_reached' ? { status: 'budget_exceeded', detail: message } : { status: 'failed', error: message };
