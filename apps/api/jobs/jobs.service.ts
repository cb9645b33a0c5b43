import { Inject, Injectable } from '@nestjs/common';
import type { Job } from '#lib/contracts/job';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { JobRepository, type JobFilter } from '#lib/db/read/jobs';
import { notify } from '#lib/events/notifications';
import type { Redis } from '#lib/runtime/redis';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { WorkersMissing } from '../platform/workers-missing.js';

@Injectable()
export class JobService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly workers: WorkersMissing,
  ) {}

  async list(caller: Caller, filter: Omit<JobFilter, 'suiteIds'>, page: PageQuery): Promise<Page<Job>> {
    const { teamId, limits } = caller;
    const jobs = new JobRepository(this.pool, teamId, await this.workers.whyNobody());
    return jobs.list({ ...filter, suiteIds: limits.suiteIds }, page);
  }

  async read(caller: Caller, jobId: string): Promise<Job> {
    return new JobRepository(this.pool, caller.teamId, await this.workers.whyNobody()).read(jobId);
  }

  cancel(caller: Caller, jobId: string, change: Change): Promise<Job> {
    return this.#cancel(caller, jobId, change, notFound('job', jobId));
  }

  /** An unknown job id is invalid input (422) in a body, but not found (404) in a path. */
  cancelNamedInBody(caller: Caller, jobId: string, change: Change): Promise<Job> {
    const unknown = new ProblemError(422, `No job with id "${jobId}" in this team.`, [
      { path: '/job_id', message: 'does not exist' },
    ]);
    return this.#cancel(caller, jobId, change, unknown);
  }

  async #cancel(caller: Caller, jobId: string, change: Change, unknown: ProblemError): Promise<Job> {
    let runIds: string[] = [];
    const job = await change(async (client) => {
      const outcome = await cancelJob(client, { teamId: caller.teamId, jobId });
      if (outcome === 'not-found') throw unknown;
      const changed = await new JobRepository(client, caller.teamId).read(jobId);
      if (outcome === 'finished') {
        throw new ProblemError(409, `The job is already ${changed.status}.`).as('job_finished', {
          status: changed.status,
        });
      }
      ({ runIds } = outcome);
      const { type, result_ref, status } = changed;
      await audit(client, caller, 'job.cancel', jobId, {
        before: { status: outcome.status },
        after: { status, type, result_ref, runs: runIds.length },
      });
      return changed;
    });
    for (const id of runIds) void notify(this.redis, { topic: 'cancel', id });
    notifyOfJobs(this.redis, [jobId]);
    return job;
  }
}
