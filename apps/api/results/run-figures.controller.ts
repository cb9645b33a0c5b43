import { Controller, Get, Param, Query, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Confusion,
  ConfusionQuery,
  Counting,
  DrawnResults,
  DrawQuery,
  FailureGroups,
  FailureGroupsQuery,
  RunCases,
  RunCasesQuery,
  RunFacets,
  ScoringQuery,
} from '#lib/contracts/run-facets';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, cursorOf, Me, uuid } from '../platform/decorators.js';
import { byRandomRank } from '#lib/counting/reservoir';
import type { Pool } from '#lib/db/connection/pool';
import { askForFigures } from '#lib/db/engine/run-figures';
import { RescoreRepository } from '#lib/db/read/rescores';
import { RunFiguresRepository, type Scoring } from '#lib/db/read/run-figures';
import { POOL } from '../platform/stores.js';

const POSITION = /^\d{1,9}$/;
const WHEN =
  'Counted once, when the run or rescore ends, or on the first request if that was in an earlier release: ' +
  'try again after a 202. Answers 409 while the run or the rescore is unfinished.';

/** Computed figures of runs and rescores. A request for missing figures has them computed. */
@Controller('api/tool-eval/history/:id')
export class RunFiguresController {
  #of = ({ teamId }: Caller): RunFiguresRepository => new RunFiguresRepository(this.pool, teamId);

  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Get('facets')
  @About('Count the results of a run by filter', WHEN)
  @Answers(200, RunFacets, 404, 409, 422)
  @Answers(202, Counting)
  async facets(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ScoringQuery }) { rescore_id: rescoreId }: ScoringQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const scoring = { runId: uuid('run', id), rescoreId };
    return this.#answer(caller, scoring, reply, (figures) => figures.facets(scoring));
  }

  @Get('confusion')
  @About(
    'Count expected and called tools',
    `A case that accepts several tools counts in the row of each of them, and of all together. ${WHEN}`,
  )
  @Answers(200, Confusion, 404, 409, 422)
  @Answers(202, Counting)
  async confusion(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ConfusionQuery }) { target, rescore_id: rescoreId }: ConfusionQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const scoring = { runId: uuid('run', id), rescoreId };
    return this.#answer(caller, scoring, reply, (figures) => figures.confusion(scoring, target));
  }

  @Get('failures')
  @About('List failure groups', `Results of one error type, expected tool, called tool and argument. ${WHEN}`)
  @Answers(200, FailureGroups, 404, 409, 422)
  @Answers(202, Counting)
  async failures(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: FailureGroupsQuery }) { error_type: errorType, rescore_id: rescoreId }: FailureGroupsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const scoring = { runId: uuid('run', id), rescoreId };
    return this.#answer(caller, scoring, reply, (figures) => figures.failures(scoring, errorType));
  }

  /**
   * Draws results of a group. When the run was counted, up to 200 of them were kept, a uniform sample (those with the
   * smallest hashes of their positions). The seed orders these, and the first ones are drawn: again a uniform sample of
   * the group. For a group of more than 200, all seeds draw from the same 200.
   */
  @Get('failures/:group/draw')
  @About(
    'Sample a failure group',
    'Same seed, same sample. A uniform sample of up to 200 results of each group is kept when they are ' +
      'counted, and all seeds draw from these.',
  )
  @Answers(200, DrawnResults, 404, 409, 422)
  @Answers(202, Counting)
  async draw(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('group') group: string,
    @Query({ schema: DrawQuery }) { seed, count, rescore_id: rescoreId }: DrawQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const scoring = { runId: uuid('run', id), rescoreId };
    const places = await this.#answer(caller, scoring, reply, (figures) => figures.drawn(scoring, group));
    if ('status' in places) return places;
    return { items: await this.#of(caller).results(scoring, byRandomRank(places, seed).slice(0, count)) };
  }

  @Get('cases')
  @About('List the cases of a run with the scores of each model', WHEN)
  @Answers(200, RunCases, 404, 409, 422)
  @Answers(202, Counting)
  async cases(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: RunCasesQuery }) { rescore_id: rescoreId, cursor, ...query }: RunCasesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const scoring = { runId: uuid('run', id), rescoreId };
    const page = { ...query, cursor: cursorOf(cursor, POSITION) };
    return this.#answer(caller, scoring, reply, (figures) => figures.cases(scoring, page));
  }

  /**
   * Answers 202 until the figures are available, and has them computed for a run that ended before they were. If the
   * notification is lost, the next request sends it again.
   */
  async #answer<Figures>(
    caller: Caller,
    scoring: Scoring,
    reply: FastifyReply,
    read: (figures: RunFiguresRepository) => Promise<Figures | undefined>,
  ): Promise<Figures | Counting> {
    const { runId, rescoreId } = scoring;
    const found = await read(this.#of(caller));
    if (rescoreId !== undefined)
      await new RescoreRepository(this.pool, caller.teamId).requireCompleted(runId, rescoreId);
    if (found !== undefined) return found;
    await askForFigures(this.pool, scoring);
    void reply.status(202);
    return { status: 'counting' };
  }
}
