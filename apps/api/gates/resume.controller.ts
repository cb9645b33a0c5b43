import { Body, Controller, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { GateSubmitted } from '#lib/contracts/gate';
import { ResumeInput, Submitted } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';
import { GateRunService } from './gate-runs.service.js';

const Resumed = z.union([Submitted, GateSubmitted]).meta({ description: 'What goes on, under a new job.' });

/** The jobs that can go on: those of runs, and of gates, which know more than jobs do. */
@Controller('api/jobs')
export class ResumeController {
  constructor(readonly service: GateRunService) {}

  @Post(':id/resume')
  @About(
    'Resume a job',
    'Of a run, it does the same as `POST /api/tool-eval/history/{id}/resume`. A gate run goes on from where it ' +
      'stopped, and asks again what errored in its runs. Answers 409 while the job is not finished, and when nothing ' +
      'is left to do.',
  )
  @Answers(202, Resumed, 404, 409)
  resumeJob(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ResumeInput.nullish() }) input: ResumeInput | null | undefined,
    @Changes() change: Change,
  ) {
    return this.service.resumeJob(caller, uuid('job', id), input ?? {}, change);
  }
}
