import { Body, Controller, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Try, TryInput } from '#lib/contracts/try';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, KeepsNoAnswer, Me, TakesUpTo, type Change } from '../platform/decorators.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { TryOutService } from './try-outs.service.js';

/** It may include tools of up to 1 MiB. */
const TRY_BYTES = 2 * 2 ** 20;

@Controller('api/tool-eval/try')
export class TryOutsController {
  constructor(readonly service: TryOutService) {}

  @Post()
  @TakesUpTo(TRY_BYTES, TryInput)
  @KeepsNoAnswer()
  @About(
    'Try out a case',
    'Plays one case with up to ten models at once, and answers with the verdicts and replies when all models have ' +
      'answered, or at the deadline. It goes through the limits of the providers and the monthly cap like a run. ' +
      'Only its cost is kept, so a repeat with the same Idempotency-Key calls the models again. Requests end ' +
      'when the client disconnects. Answers 429 beyond four at once per user, or ten per team.',
  )
  @Answers(200, Try, 409, 422)
  try(
    @Me() caller: Caller,
    @Body({ schema: TryInput }) input: TryInput,
    @Changes() change: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Try> {
    return this.service.try(caller, input, change, leaveSignal(reply));
  }
}
