import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Result, ResultNeighbours, ResultWithExchange } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { RescoreRepository } from '#lib/db/read/rescores';
import { ResultLists, type ResultList } from '#lib/db/read/result-lists';
import { ResultRepository } from '#lib/db/read/results';
import { RunRepository } from '#lib/db/read/runs';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { AnswerMemory, inPieces, streamOf } from '../platform/answer-memory.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { POOL } from '../platform/stores.js';
import { answerOf } from './exchange-of.js';
import { exportRun, fileOptionsOf, type ExportOptions } from './export-run.js';
import { ExportTurns } from './export-turns.js';
import type { ReadingTask } from './reading-tasks.js';
import { ReadingThreads } from './reading-threads.js';

const MAX_WAITING_LISTS = 100;
/**
 * Results with larger texts are read in a thread: up to this size they take about ten milliseconds, whatever they
 * contain.
 */
const SMALL_BYTES = 128 * 1024;
const MAX_WAITING_LARGE = 100;

/** The HTTP request and its reply. */
export interface HttpExchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Results of a run: its own verdicts, or those of a rescore. */
@Injectable()
export class ResultService {
  /** By team. A filter may scan thousands of results, and holds connections to Postgres meanwhile. */
  readonly #lists = new KeyedSemaphore(
    2,
    MAX_WAITING_LISTS,
    `${MAX_WAITING_LISTS} lists of this team are queued already. Try again when some are done.`,
  );

  /**
   * By team. Large answers are produced one at a time; each keeps the next one waiting until there is memory for it.
   */
  readonly #large = new KeyedSemaphore(
    1,
    MAX_WAITING_LARGE,
    `${MAX_WAITING_LARGE} large results of your team are queued. Try again when its clients have read some.`,
  );
  readonly #exports = new ExportTurns();

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly threads: ReadingThreads,
    readonly memory: AnswerMemory,
  ) {}

  async list(
    caller: Caller,
    runId: string,
    list: ResultList,
    page: PageQuery,
    asked: HttpExchange,
  ): Promise<Page<Result> | StreamableFile> {
    checkOrder(list);
    const { teamId } = caller;
    const run = await this.#run(caller, runId, list.rescore_id);
    const lists = new ResultLists(this.pool, teamId);
    const small = await this.#lists.run(teamId, () => lists.listSmall(run.id, list, page, SMALL_BYTES));
    return small ?? this.#readLarge({ what: 'list', teamId, runId: run.id, list, page }, asked);
  }

  async neighbours(caller: Caller, runId: string, resultId: string, list: ResultList): Promise<ResultNeighbours> {
    checkOrder(list);
    const run = await this.#run(caller, runId, list.rescore_id);
    const lists = new ResultLists(this.pool, caller.teamId);
    return this.#lists.run(caller.teamId, () => lists.neighbours(run.id, resultId, list));
  }

  /** A result with its exchange, and an explanation of its verdict. */
  async read(
    caller: Caller,
    { runId, resultId, rescoreId }: { runId: string; resultId: string; rescoreId?: string },
    asked: HttpExchange,
  ): Promise<ResultWithExchange | StreamableFile> {
    const { teamId, role } = caller;
    const run = await this.#run(caller, runId, rescoreId);
    const results = new ResultRepository(this.pool, teamId);
    const small = await results.readSmall(run.id, resultId, rescoreId, SMALL_BYTES);
    if (small) return answerOf(small, run, caller);
    const overrides = JSON.stringify(run.config.tool_overrides ?? {});
    return this.#readLarge({ what: 'result', teamId, runId: run.id, resultId, rescoreId, overrides, role }, asked);
  }

  /** All results, optionally filtered, as a file that is written while it is read. */
  async export(
    caller: Caller,
    runId: string,
    how: ExportOptions,
    list: ResultList,
    { reply }: HttpExchange,
  ): Promise<Readable> {
    checkOrder(list);
    const { teamId } = caller;
    const run = await this.#run(caller, runId, list.rescore_id);
    const left = leaveSignal(reply);
    const giveBack = await this.#exports.take(teamId);
    try {
      left.throwIfAborted();
      const as = fileOptionsOf(how, list);
      const task = { what: 'export', teamId, run: JSON.stringify(run), list, as } as const;
      const readPage: Parameters<typeof exportRun>[2] = (page, isFirst) => this.threads.run({ ...task, page, isFirst });
      return streamOf(exportRun(run, as, readPage)).once('close', giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** @throws ProblemError 408 when the client leaves, 429 */
  #readLarge(task: ReadingTask, { request, reply }: HttpExchange): Promise<StreamableFile> {
    const left = leaveSignal(reply);
    return this.#large.run(task.teamId, async () => {
      left.throwIfAborted();
      const { parts } = await this.threads.run(task);
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      await this.memory.take(request, reply, length);
      left.throwIfAborted();
      return new StreamableFile(streamOf(inPieces(parts)), { type: 'application/json; charset=utf-8', length });
    });
  }

  /** The team's run; a named rescore of it must be completed. */
  async #run({ teamId }: Caller, runId: string, rescoreId?: string): Promise<Run> {
    const run = await new RunRepository(this.pool, teamId).read(runId);
    if (rescoreId !== undefined) await new RescoreRepository(this.pool, teamId).requireCompleted(runId, rescoreId);
    return run;
  }
}

/** Failures are found through an index of the run's own verdicts. @throws ProblemError 422 */
function checkOrder({ order, rescore_id: rescoreId }: ResultList): void {
  if (order !== 'failures' || rescoreId === undefined) return;
  throw new ProblemError(
    422,
    "order=failures lists only the run's own verdicts. Ask for passed=false with order=case, or leave rescore_id out.",
    [{ path: '/order', message: 'cannot be "failures" together with rescore_id' }],
  );
}
