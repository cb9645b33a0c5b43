import { Controller, Get, Query } from '@nestjs/common';
import { Calibration, CalibrationQuery } from '#lib/judge/contract';
import { LabelQueue, LabelQueueQuery } from '#lib/contracts/label';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me, Needs } from '../platform/decorators.js';
import { CalibrationService } from './calibration.service.js';

@Controller('api/judge')
export class CalibrationController {
  constructor(readonly service: CalibrationService) {}

  @Get('label-queue')
  @Needs('editor')
  @About(
    'Draw results to label',
    'Results that a judge has judged, drawn at random from its newest reports: half of them judged ok (correct or ' +
      'acceptable), half wrong. Those that were drawn before and have no label yet come first, whoever drew them. It ' +
      'is kept how likely each draw was, so that the calibration speaks for all that the judge has judged.',
  )
  @Answers(200, LabelQueue, 404, 422, 429)
  queue(@Me() caller: Caller, @Query({ schema: LabelQueueQuery }) query: LabelQueueQuery): Promise<LabelQueue> {
    return this.service.queue(caller, query);
  }

  @Get('calibration')
  @About(
    'Read the calibration of a judge',
    "A judge beside people's labels of results that were drawn for that. Where several people label a result, the " +
      'majority counts, and of labels that are given as often the stricter. Another model, other instructions, or ' +
      'another way to ask begin a new calibration, for which the labels that are there count as they are drawn.',
  )
  @Answers(200, Calibration, 404, 422)
  calibration(
    @Me() caller: Caller,
    @Query({ schema: CalibrationQuery }) query: CalibrationQuery,
  ): Promise<Calibration> {
    return this.service.calibration(caller, query);
  }
}
