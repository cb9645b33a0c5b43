import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ProblemError } from '#lib/contracts/input/problem';
import type { OrchestrationType } from '#lib/contracts/values/jobs';
import { ORCHESTRATION_KINDS } from '#lib/contracts/orchestration-kinds';
import type { ResumeInput } from '#lib/contracts/run-input';
import type { Submitted } from '#lib/contracts/run';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { JobRepository } from '#lib/db/read/jobs';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { RunService } from './runs.service.js';

/** Resumes the run, tune, report or gate run of a job. */
@Injectable()
export class ResumeService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
  ) {}

  /** @throws ProblemError 404, 409 when there is nothing to resume, 422 when the budget is spent */
  async resume(
    caller: Caller,
    jobId: string,
    input: ResumeInput,
    change: Change,
  ): Promise<Submitted | Pick<Submitted, 'job_id' | 'status'>> {
    const { teamId, userId } = caller;
    const { type, result_ref: ref } = await new JobRepository(this.pool, teamId).read(jobId);
    if (type === 'tool_eval') return this.runs.resume(caller, ref!, input, change);
    if (type === 'rescore') throw new ProblemError(409, `A job of type "${type}" cannot be resumed. Submit it again.`);
    const submitted = await change(async (client) => {
      const { id, jobId: newJobId } = await resumeOrchestration(client, { teamId, userId, jobId, ...input });
      await audit(client, caller, `${type}.resume`, id);
      return { job_id: newJobId, [refOf(type)]: id, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }
}

const refOf = (type: OrchestrationType): string => ORCHESTRATION_KINDS.find((kind) => kind.type === type)!.ref;
