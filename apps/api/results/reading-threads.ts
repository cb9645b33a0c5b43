import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Env } from '#lib/runtime/env';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool } from '#lib/runtime/threads/thread-pool';
import { ENV } from '../platform/stores.js';
import type { ReadingOutcome, ReadingTask } from './reading-tasks.js';

/** Each has a connection to Postgres. A team uses one of them at a time. */
const LIMITS = { threads: 2, cpuMs: 20_000, wallMs: 90_000, heapMb: 224 };

/**
 * Threads that read large results and write exports, so that a team's slow work on the database, the disk and the CPU
 * delays no other team.
 */
@Injectable()
export class ReadingThreads implements OnApplicationShutdown {
  readonly #pool: ThreadPool<ReadingTask, ReadingOutcome>;

  constructor(@Inject(ENV) { DATABASE_URL: databaseUrl }: Env) {
    this.#pool = new ThreadPool(threadModule('apps/api/results/reading-thread'), LIMITS, Infinity, { databaseUrl });
  }

  /** @throws ProblemError 403, 404, 422; and whatever the database throws */
  async run(task: ReadingTask): Promise<ReadingOutcome> {
    try {
      return await this.#pool.run(task, task.teamId);
    } catch (error) {
      if (!(error instanceof ThreadLimitExceeded)) throw error;
      throw new ProblemError(
        422,
        `This is too much to read at once. ${error.message} Ask for fewer results at a time.`,
      ).as('answer_too_large');
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.#pool.close();
  }
}
