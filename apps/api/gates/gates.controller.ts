import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Comparing } from '#lib/contracts/comparing';
import {
  Gate,
  GateAnswer,
  GateCheckQuery,
  GateInput,
  GateRun,
  GateRunInput,
  GatesQuery,
  GateSubmitted,
  GateUpdate,
} from '#lib/gate/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { patienceOf, sendComparison } from '../comparisons/send-comparison.js';
import { LISTS_BYTES } from '../platform/body-bounds.js';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { GateRunService } from './gate-runs.service.js';
import { GateService } from './gates.service.js';

/** Same as for a run: system prompts of many models, and overrides of the suite's texts. */
const RUN_BYTES = 2 ** 20;

@Controller('api/gates')
export class GatesController {
  constructor(
    readonly service: GateService,
    readonly runs: GateRunService,
  ) {}

  @Get()
  @About('List gates', 'The newest first.')
  @Answers(200, pageOf(Gate))
  list(@Me() caller: Caller, @Query({ schema: GatesQuery }) { cursor, ...query }: GatesQuery) {
    return this.service.list(caller, { ...query, cursor: idCursor(cursor) });
  }

  @Post()
  @TakesUpTo(LISTS_BYTES, GateInput)
  @About(
    'Create a gate',
    'It decides whether a run is worse than a baseline, by rules that are fixed before the run: a margin chosen ' +
      'after seeing the result proves nothing. Answers 409 when another gate of the team has this name.',
  )
  @Answers(201, Gate, 409)
  create(@Me() caller: Caller, @Body({ schema: GateInput }) input: GateInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
  }

  @Get(':id')
  @About('Read a gate', 'Its rules, and the run that is its baseline now.')
  @Answers(200, Gate, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('gate', id));
  }

  @Put(':id')
  @TakesUpTo(LISTS_BYTES, GateUpdate)
  @About(
    'Change a gate',
    'Another baseline or other rules make its next version, which every answer names. A change of the name alone ' +
      'does not, and neither does one that changes nothing.',
  )
  @Answers(200, Gate, 404, 409)
  update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: GateUpdate }) update: GateUpdate,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, uuid('gate', id), update, change);
  }

  @Delete(':id')
  @About(
    'Delete a gate',
    'With its answers, its gate runs, and the runs that they made; those that are a baseline stay. Answers 409 while ' +
      'a gate run is not finished: cancel it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('gate', id), change);
  }

  @Get(':id/check')
  @About(
    'Check a run',
    'Measures the run against the baseline, by the rules of the gate. Asked again about the same data, it says the ' +
      'same; no model is asked. Further samples make another look, and once all `looks` are used up, the last answer ' +
      'stands. The run must be of the suite of the gate.',
  )
  @Answers(200, GateAnswer, 404, 422, 429)
  @Answers(202, Comparing)
  async check(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: GateCheckQuery }) { eval_id: evalId, wait }: GateCheckQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendComparison(await this.service.check(caller, uuid('gate', id), evalId, patienceOf(reply, wait)), reply);
  }

  @Post(':id/run')
  @TakesUpTo(RUN_BYTES, GateRunInput)
  @About(
    'Run a gate',
    'Makes the run to measure, with the settings of the baseline except for what `config` says, or takes the one ' +
      'that `eval_id` names. While the answer is `inconclusive`, it doubles the samples of both sides, as often as ' +
      '`looks` says. Without a baseline nothing is run, and the answer is `not_measured`.',
  )
  @Answers(202, GateSubmitted, 404, 409)
  run(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: GateRunInput.nullish() }) input: GateRunInput | null | undefined,
    @Changes() change: Change,
  ) {
    return this.runs.submit(caller, uuid('gate', id), input ?? {}, change);
  }

  @Get(':id/runs')
  @About('List the gate runs of a gate', 'The newest first.')
  @Answers(200, pageOf(GateRun), 404)
  listRuns(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ) {
    return this.runs.list(caller, uuid('gate', id), { limit, cursor: idCursor(cursor) });
  }

  @Get(':id/runs/:runId')
  @About('Read a gate run', 'The runs that it made, what each look said, and its answer once there is one.')
  @Answers(200, GateRun, 404)
  readRun(@Me() caller: Caller, @Param('id') id: string, @Param('runId') runId: string) {
    return this.runs.read(caller, uuid('gate', id), uuid('gate run', runId));
  }
}
