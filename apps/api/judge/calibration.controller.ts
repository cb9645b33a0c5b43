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
      'acceptable), half wrong. Results that were drawn before and have no label yet come first. The probability ' +
      'of each draw is kept, so that the calibration holds for everything the judge has judged.',
  )
  @Answers(200, LabelQueue, 404, 422, 429)
  queue(@Me() caller: Caller, @Query({ schema: LabelQueueQuery }) query: LabelQueueQuery): Promise<LabelQueue> {
    return this.service.queue(caller, query);
  }

  @Get('calibration')
  @About(
    'Read the calibration of a judge',
    "Compares a judge with people's labels of results drawn for it. When several people label a result, the " +
      'majority counts; in a tie, the stricter label. Another model, other instructions, or ' +
      'another prompt format start a new calibration; existing labels count in it once their results are drawn.',
  )
  @Answers(200, Calibration, 404, 422)
  calibration(
    @Me() caller: Caller,
    @Query({ schema: CalibrationQuery }) query: CalibrationQuery,
  ): Promise<Calibration> {
    return this.service.calibration(caller, query);
  }
}
