import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Job, JobType } from '#lib/contracts/job';
import { JobStatus } from '#lib/contracts/job-status';
import { flag, PageQuery, pageOf, severalOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, uuid, type Change } from '../platform/decorators.js';
import { JOB_ORDERS } from '#lib/contracts/values/jobs';
import { JobService } from './jobs.service.js';

const JobsQuery = PageQuery.extend({
  status: severalOf(JobStatus).meta({ description: 'Only jobs in this status, or in one of several.' }),
  type: JobType.optional().meta({ description: 'Only jobs of this type.' }),
  order: z.enum(JOB_ORDERS).default('newest').meta({
    description: '`queue`: those that are not finished, in the order in which they run: running, queued, pending.',
  }),
  orchestrated: flag.meta({ description: 'Also lists jobs that belong to a gate run or a tune.' }),
});

@Controller('api/jobs')
export class JobsController {
  constructor(readonly service: JobService) {}

  @Get()
  @About(
    'List jobs',
    'The newest first, or with `order=queue` in the order in which they run. A gate run is one job, and those of the ' +
      'runs that it makes are left out.',
  )
  @Answers(200, pageOf(Job))
  jobs(@Me() caller: Caller, @Query({ schema: JobsQuery }) { limit, cursor, ...filter }: z.infer<typeof JobsQuery>) {
    return this.service.list(caller, filter, { limit, cursor: idCursor(cursor) });
  }

  @Get(':id')
  @About('Read a job', 'Its progress, and what it waits for.')
  @Answers(200, Job, 404)
  job(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('job', id));
  }

  @Post(':id/cancel')
  @About(
    'Cancel a job',
    'The status changes at once, requests under way are aborted, and settled results stay. Answers ' +
      '409 when the job is finished.',
  )
  @Answers(202, Job, 404, 409)
  cancel(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.cancel(caller, uuid('job', id), change);
  }
}
