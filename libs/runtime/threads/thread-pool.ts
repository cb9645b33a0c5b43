import { Worker, type ResourceLimits, type Transferable } from 'node:worker_threads';
import { ProblemError } from '#lib/contracts/input/problem';

/** Time and memory limits of one task. When a task exceeds them, its thread ends, and only this task fails. */
export interface ThreadLimits {
  threads: number;
  /** CPU time, measured from outside the thread. A busy machine does not use it up. */
  cpuMs: number;
  /** Wall time, for tasks that wait without using CPU. */
  wallMs: number;
  heapMb: number;
}

/** A task exceeded its time or memory limit. */
export class ThreadLimitExceeded extends Error {}

/** A group has its maximum number of waiting tasks. */
export class TooManyTasks extends Error {}

interface QueuedTask<Task> {
  task: Task;
  /** Its buffers that are transferred to the thread. */
  transferables: Transferable[];
  group: string;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

interface Thread<Task> {
  worker: Worker;
  current: QueuedTask<Task> | undefined;
  /** Ends the thread when no task has arrived. */
  idle: NodeJS.Timeout | undefined;
}

/** The message of a thread: the result of its task, or the error it threw. */
type Outcome = { result: unknown } | { error: ThreadError };

/** Errors lose their class between threads. */
interface ThreadError {
  name: string;
  message: string;
  stack?: string;
  facts?: Partial<ProblemError>;
}

const CHECK_EVERY_MS = 100;
/** Size of a thread's young generation: a small one costs little time and saves much memory. */
const YOUNG_MB = 16;
/** How long a thread without a task keeps its memory. */
const IDLE_MS = 5000;

/**
 * Threads for work that may take long on one input, so that it does not stall anything else. Groups (teams, lanes) take
 * turns, and no group gets every thread: one whose tasks all hit their limits leaves a thread to the others. Tasks and
 * results are cloned. Numbers that keep their text (`JSON.rawJSON`) cannot be cloned, so JSON is passed as text.
 */
export class ThreadPool<Task, Result> {
  readonly #threads = new Set<Thread<Task>>();
  readonly #groups = new Map<string, QueuedTask<Task>[]>();
  #closed = false;

  /**
   * @param entry the module of the threads, which calls `serveTasks`
   * @param maxWaiting maximum number of waiting tasks per group
   * @param workerData passed to each thread when it starts: `workerData` of `node:worker_threads`
   */
  constructor(
    readonly entry: URL,
    readonly limits: ThreadLimits,
    readonly maxWaiting = Infinity,
    readonly workerData?: unknown,
    readonly idleMs = IDLE_MS,
  ) {}

  /**
   * @param signal cancels the task: removes it from the queue, or ends its thread
   * @param moved buffers of the task that are transferred to the thread instead of being copied
   * @throws ThreadLimitExceeded, TooManyTasks, the signal's reason, or what the task threw: a ProblemError, or an Error
   *   with its name, message, stack and own properties
   */
  run(task: Task, group: string, signal?: AbortSignal, moved: Transferable[] = []): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) return reject(new Error('The threads are closed.'));
      if (signal?.aborted) return reject(signal.reason as Error);
      let waiting = this.#groups.get(group);
      if (!waiting) this.#groups.set(group, (waiting = []));
      if (waiting.length >= this.maxWaiting)
        return reject(new TooManyTasks(`${waiting.length} others of the same group are waiting.`));
      const entry: QueuedTask<Task> = { task, transferables: moved, group, resolve, reject };
      if (signal) {
        const cancel = (): void => this.#cancel(entry, signal.reason as Error);
        signal.addEventListener('abort', cancel, { once: true });
        const stopListening = (): void => signal.removeEventListener('abort', cancel);
        entry.resolve = (result) => (stopListening(), resolve(result));
        entry.reject = (error) => (stopListening(), reject(error));
      }
      waiting.push(entry);
      this.#next();
    });
  }

  #cancel(entry: QueuedTask<Task>, reason: Error): void {
    const waiting = this.#groups.get(entry.group);
    const position = waiting?.indexOf(entry) ?? -1;
    if (position >= 0) {
      waiting!.splice(position, 1);
      entry.reject(reason);
      return;
    }
    const thread = [...this.#threads].find(({ current }) => current === entry);
    if (thread) this.#terminate(thread, reason);
  }

  /** Ends a thread in the middle of its task. */
  #terminate(thread: Thread<Task>, reason: Error): void {
    this.#threads.delete(thread);
    this.#end(thread, reason);
    void thread.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#groups.values())
      for (const { reject } of waiting) reject(new Error('The threads are closed.'));
    this.#groups.clear();
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    for (;;) {
      const idle = [...this.#threads].find((thread) => !thread.current);
      if (!idle && this.#threads.size >= this.limits.threads) return;
      const taken = this.#take();
      if (!taken) return;
      this.#start(idle ?? this.#spawn(), taken);
    }
  }

  /** The first task of the group whose turn it is. The group then moves to the end of the queue. */
  #take(): QueuedTask<Task> | undefined {
    const maxThreads = Math.max(1, this.limits.threads - 1);
    for (const [group, waiting] of this.#groups) {
      const threads = [...this.#threads].filter(({ current }) => current?.group === group).length;
      if (threads >= maxThreads) continue;
      const taken = waiting.shift();
      this.#groups.delete(group);
      if (waiting.length) this.#groups.set(group, waiting);
      if (taken) return taken;
    }
    return undefined;
  }

  #spawn(): Thread<Task> {
    const resourceLimits: ResourceLimits = {
      maxOldGenerationSizeMb: this.limits.heapMb,
      maxYoungGenerationSizeMb: YOUNG_MB,
    };
    const worker = new Worker(this.entry, { resourceLimits, workerData: this.workerData });
    const thread: Thread<Task> = { worker, current: undefined, idle: undefined };
    worker.unref();
    worker.on('message', (outcome: Outcome) => this.#end(thread, outcome));
    worker.on('error', (error: Error & { code?: string }) => {
      // It exits next, and would take a waiting task with it.
      this.#threads.delete(thread);
      const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(
        thread,
        isOutOfMemory ? new ThreadLimitExceeded(`It took more than ${this.limits.heapMb} MB of memory.`) : error,
      );
    });
    worker.on('exit', () => {
      this.#threads.delete(thread);
      this.#end(thread, new Error('The thread ended.'));
    });
    this.#threads.add(thread);
    return thread;
  }

  #endWhenIdle(thread: Thread<Task>): void {
    clearTimeout(thread.idle);
    if (!this.#threads.has(thread)) return;
    thread.idle = setTimeout(() => this.#terminate(thread, new Error('It was idle.')), this.idleMs).unref();
  }

  #start(thread: Thread<Task>, taken: QueuedTask<Task>): void {
    const { worker } = thread;
    clearTimeout(thread.idle);
    thread.current = taken;
    worker.ref();
    worker.postMessage(taken.task, taken.transferables);
    void this.#watch(thread, taken);
  }

  #end(thread: Thread<Task>, outcome: Outcome | Error): void {
    const { current } = thread;
    thread.current = undefined;
    thread.worker.unref();
    this.#endWhenIdle(thread);
    if (outcome instanceof Error) current?.reject(outcome);
    else if ('result' in outcome) current?.resolve(outcome.result as never);
    else current?.reject(toError(outcome.error));
    if (!this.#closed) this.#next();
  }

  /** Ends the thread when its task exceeds a limit. */
  async #watch(thread: Thread<Task>, watched: QueuedTask<Task>): Promise<void> {
    const { cpuMs, wallMs } = this.limits;
    const startedAt = performance.now();
    let usedBefore: number | undefined;
    const cpuUsedMs = (): Promise<number | undefined> =>
      thread.worker.cpuUsage().then(
        ({ user, system }) => (user + system) / 1000,
        () => undefined,
      );
    while (thread.current === watched) {
      await new Promise<void>((resolve) => setTimeout(resolve, CHECK_EVERY_MS).unref());
      if (thread.current !== watched) return;
      // A thread that does not answer is only measured by the clock.
      const used = await Promise.race([
        cpuUsedMs(),
        new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), CHECK_EVERY_MS).unref()),
      ]);
      if (thread.current !== watched) return;
      usedBefore ??= used; // Used by earlier tasks of the thread; this task accounts for up to a tenth of a second.
      const overCpu = used !== undefined && used - usedBefore! > cpuMs;
      const overWall = performance.now() - startedAt > wallMs;
      if (!overCpu && !overWall) continue;
      this.#terminate(
        thread,
        new ThreadLimitExceeded(
          overCpu ? `It took more than ${cpuMs / 1000} s of CPU time.` : `It took more than ${wallMs / 1000} s.`,
        ),
      );
      return;
    }
  }
}

function toError({ name, message, stack, facts = {} }: ThreadError): Error {
  const { status, errors, retryAfterMs } = facts;
  if (typeof status === 'number') return new ProblemError(status, message, errors, retryAfterMs, facts);
  return Object.assign(new Error(message), facts, { name, stack });
}
