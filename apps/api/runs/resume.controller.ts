import { Body, Controller, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { GateSubmitted } from '#lib/gate/contract';
import { JudgeSubmitted } from '#lib/judge/contract';
import { ParamTuneSubmitted } from '#lib/param-tune/contract';
import { ResumeInput } from '#lib/contracts/run-input';
import { Submitted } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';
import { ResumeService } from './resume.service.js';

const Resumed = z
  .union([Submitted, GateSubmitted, ParamTuneSubmitted, JudgeSubmitted])
  .meta({ description: 'What is resumed, under a new job.' });

/** Resumable jobs: those of runs, and of what creates runs. */
@Controller('api/jobs')
export class ResumeController {
  constructor(readonly service: ResumeService) {}

  @Post(':id/resume')
  @About(
    'Resume a job',
    'For a run, same as `POST /api/tool-eval/history/{id}/resume`. A gate run, a tune and a report of a ' +
      'judge continue where they stopped, and repeat what errored in their runs. Answers 409 while the ' +
      'job is not finished, and when nothing is left to do.',
  )
  @Answers(202, Resumed, 404, 409)
  resumeJob(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ResumeInput.nullish() }) input: ResumeInput | null | undefined,
    @Changes() change: Change,
  ) {
    return this.service.resume(caller, uuid('job', id), input ?? {}, change);
  }
}
