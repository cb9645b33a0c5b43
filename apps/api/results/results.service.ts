import { Inject, Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Result, ResultNeighbours, ResultWithExchange } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { RescoreRepository } from '#lib/db/read/rescores';
import { ResultLists, type ResultList } from '#lib/db/read/result-lists';
import { ResultRepository } from '#lib/db/read/results';
import { RunRepository } from '#lib/db/read/runs';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { explainResult } from '#lib/scoring/house/explain-result';
import { POOL, PRISMA } from '../platform/stores.js';
import { exchangeOf, saidOf } from './exchange-of.js';
import { exportRun, type ExportedHow } from './export-run.js';

const MAX_WAITING_LISTS = 100;

/** Results of a run: its own verdicts, or those of a rescore. */
@Injectable()
export class ResultService {
  /** By team. A filter may look through thousands of results, and holds connections to Postgres meanwhile. */
  readonly #lists = new KeyedSemaphore(
    2,
    MAX_WAITING_LISTS,
    `${MAX_WAITING_LISTS} lists of this team wait for their turn. Ask again when some are done.`,
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
  ) {}

  async list(caller: Caller, runId: string, list: ResultList, page: PageQuery): Promise<Page<Result>> {
    checkOrder(list);
    const run = await this.#run(caller, runId, list.rescore_id);
    return this.#lists.run(caller.teamId, () => new ResultLists(this.pool, caller.teamId).list(run.id, list, page));
  }

  async neighbours(caller: Caller, runId: string, resultId: string, list: ResultList): Promise<ResultNeighbours> {
    checkOrder(list);
    const run = await this.#run(caller, runId, list.rescore_id);
    const lists = new ResultLists(this.pool, caller.teamId);
    return this.#lists.run(caller.teamId, () => lists.neighbours(run.id, resultId, list));
  }

  /** A result with its exchange, and its verdict explained. */
  async read(
    caller: Caller,
    { runId, resultId, rescoreId }: { runId: string; resultId: string; rescoreId?: string },
  ): Promise<ResultWithExchange> {
    const run = await this.#run(caller, runId, rescoreId);
    const found = await new ResultRepository(this.pool, caller.teamId).read(run.id, resultId, rescoreId);
    return {
      ...found.result,
      explanation: explainResult(found),
      said: saidOf(found),
      exchange: exchangeOf(found, run, caller),
    };
  }

  /** All results, or those that a filter leaves, as a file, written while it is read. */
  async export(caller: Caller, runId: string, how: ExportedHow, list: ResultList): Promise<AsyncGenerator<string>> {
    checkOrder(list);
    const run = await this.#run(caller, runId, list.rescore_id);
    return exportRun(new ResultLists(this.pool, caller.teamId), run, how, list);
  }

  /** The team's run, whose rescore is completed where one is named. */
  async #run({ teamId }: Caller, runId: string, rescoreId?: string): Promise<Run> {
    const run = await new RunRepository(this.prisma, teamId).read(runId);
    if (rescoreId !== undefined) await new RescoreRepository(this.pool, teamId).requireCompleted(runId, rescoreId);
    return run;
  }
}

/** Failures are found by an index of the run's own verdicts. @throws ProblemError 422 */
function checkOrder({ order, rescore_id: rescoreId }: ResultList): void {
  if (order !== 'failures' || rescoreId === undefined) return;
  throw new ProblemError(
    422,
    "order=failures lists the run's own verdicts alone. Ask for passed=false with order=case, or leave rescore_id out.",
    [{ path: '/order', message: 'cannot be "failures" beside rescore_id' }],
  );
}
