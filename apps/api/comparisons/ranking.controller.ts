import { Controller, Get, Param, Query, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Comparing, WaitQuery } from '#lib/contracts/comparing';
import { Ranking } from '#lib/contracts/ranking';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me, uuid } from '../platform/decorators.js';
import { patienceOf, sendComparison, jsonBytes } from './send-comparison.js';
import { isFinished } from '#lib/contracts/values/jobs';
import type { Run } from '#lib/contracts/run';
import type { Pool } from '#lib/db/connection/pool';
import { ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { RunFiguresRepository } from '#lib/db/read/run-figures';
import { RunRepository } from '#lib/db/read/runs';
import { POOL } from '../platform/stores.js';
import { ComparisonAnswers, type Patience } from './comparison-answers.js';

/**
 * Ranks the models of runs. A run whose figures were computed has its ranking stored; for other finished runs it is
 * cached in memory.
 */
@Controller('api/tool-eval/history/:id')
export class RankingController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
  ) {}

  @Get('ranking')
  @About(
    'Rank the models of a run',
    'Each with the ranks that its results leave open: two models are ranked apart where their difference over the ' +
      'cases that both have scored is shown, corrected for the number of pairs. During the run, all ranks are ' +
      'open.',
  )
  @Answers(200, Ranking, 404, 422, 429)
  @Answers(202, Comparing)
  async ranking(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: WaitQuery }) { wait }: WaitQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendComparison(await this.#rank(caller, uuid('run', id), patienceOf(reply, wait)), reply);
  }

  /** @returns JSON; undefined when it takes longer than the caller waits */
  async #rank({ teamId }: Caller, runId: string, patience: Patience): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const stored = await new RunFiguresRepository(this.pool, teamId).ranking(runId);
    if (stored) return jsonBytes(stored);
    const [found] = await new ComparableRunRepository(this.pool, teamId).readGenerations([runId]);
    const { generation, status } = found!;
    if (!isFinished(status)) return jsonBytes(rankingSoFar(await new RunRepository(this.pool, teamId).read(runId)));
    return this.answers.get({ what: 'rank', teamId, runId, found: { generation, status } }, patience);
  }
}

/** While a run is in progress its models are not told apart: finished ones come first, by mean, then the others. */
function rankingSoFar({ targets, summaries }: Run): Ranking {
  const means = new Map(summaries.map(({ target, overall }) => [target, overall ?? -1]));
  const meanOf = (target: string): number => means.get(target) ?? -2;
  const names = targets.map(({ target }) => target).sort((a, b) => meanOf(b) - meanOf(a));
  return { text: null, items: names.map((target) => ({ target, rank: [1, names.length] })) };
}
