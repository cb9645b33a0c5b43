import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadPool, type ThreadLimits } from '#lib/runtime/threads/thread-pool';
import type { ComparisonAnswers, ComparisonTask } from './comparison-tasks.js';

/**
 * For each task. Two runs of 100,000 cases take three seconds of CPU and have 83 MB alive at most; a gate's check of
 * them ends with a heap of 128 MB. Six runs of that size take five times as long, and on a machine with much else to
 * do, minutes.
 */
const LIMITS: ThreadLimits = { threads: 2, cpuMs: 60_000, wallMs: 300_000, heapMb: 192 };

/** What each thread is given. */
export interface ComparisonThreadData {
  databaseUrl: string;
}

/** Whoever compares: threads, or in tests this process. */
export interface Comparer {
  /** @throws what `runComparisonTask` throws, and the reason of the signal */
  run<What extends ComparisonTask['what']>(
    task: Extract<ComparisonTask, { what: What }>,
    signal?: AbortSignal,
  ): Promise<ComparisonAnswers[What]>;
}

/**
 * Threads that compare runs, so that comparisons hold up nothing else in this process. One team's leave a thread to
 * the other teams. A task that is cancelled ends with its thread, and Postgres ends what it reads then.
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

  /** @throws ThreadLimitExceeded, TooManyTasks, the reason of the signal, or what the comparison throws */
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
