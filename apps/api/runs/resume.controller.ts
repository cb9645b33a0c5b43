import { Body, Controller, Param, Post, Inject } from '@nestjs/common';
import { z } from 'zod';
import { GateSubmitted } from '#lib/gate/contract';
import { JudgeSubmitted } from '#lib/judge/contract';
import { ParamTuneSubmitted } from '#lib/param-tune/contract';
import { ResumeInput } from '#lib/contracts/run-input';
import { Submitted } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';
import { ProblemError } from '#lib/contracts/input/problem';
import type { OrchestrationType } from '#lib/contracts/values/jobs';
import { ORCHESTRATION_KINDS } from '#lib/contracts/orchestration-kinds';
import { audit } from '#lib/db/catalogue/audit';
import type { Pool } from '#lib/db/connection/pool';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { JobRepository } from '#lib/db/read/jobs';
import type { Redis } from '#lib/runtime/redis';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { resumeFacts } from './run-facts.js';
import { RunService } from './runs.service.js';

const Resumed = z
  .union([Submitted, GateSubmitted, ParamTuneSubmitted, JudgeSubmitted])
  .meta({ description: 'What is resumed, under a new job.' });

/** Resumable jobs: those of runs, and of what creates runs. */
@Controller('api/jobs')
export class ResumeController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
  ) {}

  /** @throws ProblemError 404, 409 when there is nothing to resume, 422 when the budget is spent */
  @Post(':id/resume')
  @About(
    'Resume a job',
    'For a run, same as `POST /api/tool-eval/history/{id}/resume`. A gate run, a tune and a report of a ' +
      'judge continue where they stopped, and repeat what errored in their runs. Answers 409 while the ' +
      'job is not finished, and when nothing is left to do.',
  )
  @Answers(202, Resumed, 404, 409)
  async resumeJob(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ResumeInput.nullish() }) input: ResumeInput | null | undefined,
    @Changes() change: Change,
  ): Promise<Submitted | Pick<Submitted, 'job_id' | 'status'>> {
    const jobId = uuid('job', id);
    const { teamId, userId, tokenId } = caller;
    const { type, result_ref: ref } = await new JobRepository(this.pool, teamId).read(jobId);
    if (type === 'tool_eval') return this.runs.resume(caller, ref!, input ?? {}, change);
    if (type === 'rescore')
      throw new ProblemError(409, `A job of type "${type}" cannot be resumed. Submit it again.`).as('not_resumable', {
        type,
      });
    const submitted = await change(async (client) => {
      const resumed = await resumeOrchestration(client, { teamId, userId, tokenId, jobId, ...input });
      const { id, jobId: newId, earlierBudget } = resumed;
      await audit(client, caller, `${type}.resume`, id, resumeFacts(newId, earlierBudget, input));
      return { job_id: newId, [refOf(type)]: id, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }
}

const refOf = (type: OrchestrationType): string => ORCHESTRATION_KINDS.find((kind) => kind.type === type)!.ref;
