import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadPool, type ThreadLimits } from '#lib/runtime/threads/thread-pool';
import type { ComparisonAnswers, ComparisonTask } from './comparison-tasks.js';

/**
 * Per task. Two runs of 100,000 cases take three seconds of CPU and have at most 83 MB of live heap; a gate's check of
 * them ends with a heap of 128 MB. Six runs of that size take five times as long, and minutes on a busy machine.
 */
const LIMITS: ThreadLimits = { threads: 2, cpuMs: 60_000, wallMs: 300_000, heapMb: 192 };

/** The data passed to each thread. */
export interface ComparisonThreadData {
  databaseUrl: string;
}

/** Runs comparisons: in threads, or in tests in this process. */
export interface Comparer {
  /** @throws the errors of `runComparisonTask`, and the reason of the signal */
  run<What extends ComparisonTask['what']>(
    task: Extract<ComparisonTask, { what: What }>,
    signal?: AbortSignal,
  ): Promise<ComparisonAnswers[What]>;
}

/**
 * Threads that compare runs, so that comparisons do not block this process. One team's comparisons leave a thread to
 * the other teams. Cancelling a task ends its thread, and Postgres cancels its query.
 */
export class ComparisonThreads implements Comparer {
  readonly #pool: ThreadPool<ComparisonTask, ComparisonAnswers[ComparisonTask['what']]>;

  /** @param maxWaiting how many tasks of one team may wait */
  constructor({
    databaseUrl,
    maxWaiting,
    limits = LIMITS,
  }: {
    databaseUrl: string;
    maxWaiting?: number;
    limits?: ThreadLimits;
  }) {
    const data: ComparisonThreadData = { databaseUrl };
    this.#pool = new ThreadPool(threadModule('libs/comparison/threads/comparison-thread'), limits, maxWaiting, data);
  }

  /** @throws ThreadLimitExceeded, TooManyTasks, the reason of the signal, or the errors of the comparison */
  async run<What extends ComparisonTask['what']>(
    task: Extract<ComparisonTask, { what: What }>,
    signal?: AbortSignal,
  ): Promise<ComparisonAnswers[What]> {
    return (await this.#pool.run(task, task.teamId, signal)) as ComparisonAnswers[What];
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
