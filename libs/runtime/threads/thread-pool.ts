import { Worker, type ResourceLimits } from 'node:worker_threads';

/**
 * How long a thread may take for one task, and how much it may hold. What is beyond ends the thread, and the task
 * alone.
 */
export interface ThreadLimits {
  threads: number;
  /** CPU time, asked of the thread from outside: a busy machine makes no task late. */
  cpuMs: number;
  /** Wall time, for what waits without working. */
  wallMs: number;
  heapMb: number;
}

/** A task took more than it may. */
export class ThreadLimitExceeded extends Error {}

/** A share has as many tasks waiting as it may. */
export class TooManyTasks extends Error {}

interface Waiting<Task> {
  task: Task;
  share: string;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

interface Thread<Task> {
  worker: Worker;
  doing: Waiting<Task> | undefined;
}

/** What a thread's module answers: what came of the task, or what it threw. */
type Said = { answer: unknown } | { error: { name: string; message: string; stack?: string; facts?: object } };

const LOOK_EVERY_MS = 100;

/**
 * Threads for work that may take long on one input, so that it stalls nobody else. Shares (teams, lanes) take
 * turns, and none has every thread: one whose tasks all run into their limits leaves a thread to the others. Tasks
 * and answers are cloned; numbers that keep their text (`JSON.rawJSON`) are not, so JSON travels as text.
 */
export class ThreadPool<Task, Answer> {
  readonly #threads = new Set<Thread<Task>>();
  readonly #shares = new Map<string, Waiting<Task>[]>();
  #closed = false;

  /**
   * @param entry the module that a thread runs; it calls `serveTasks`
   * @param maxWaiting tasks of one share that may wait
   */
  constructor(
    readonly entry: URL,
    readonly limits: ThreadLimits,
    readonly maxWaiting = Infinity,
  ) {}

  /**
   * @param signal takes the task back: out of the line, or from its thread, which ends
   * @throws ThreadLimitExceeded, TooManyTasks, the signal's reason, or what the task threw: an Error with its name,
   *   message, stack and facts
   */
  run(task: Task, share: string, signal?: AbortSignal): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (this.#closed) return reject(new Error('The threads are closed.'));
      if (signal?.aborted) return reject(signal.reason as Error);
      let waiting = this.#shares.get(share);
      if (!waiting) this.#shares.set(share, (waiting = []));
      if (waiting.length >= this.maxWaiting)
        return reject(new TooManyTasks(`${waiting.length} others of the same wait.`));
      const entry: Waiting<Task> = { task, share, resolve, reject };
      if (signal) {
        const takeBack = (): void => this.#takeBack(entry, signal.reason as Error);
        signal.addEventListener('abort', takeBack, { once: true });
        const heard = (): void => signal.removeEventListener('abort', takeBack);
        entry.resolve = (answer) => (heard(), resolve(answer));
        entry.reject = (error) => (heard(), reject(error));
      }
      waiting.push(entry);
      this.#next();
    });
  }

  #takeBack(entry: Waiting<Task>, reason: Error): void {
    const waiting = this.#shares.get(entry.share);
    const place = waiting?.indexOf(entry) ?? -1;
    if (place >= 0) {
      waiting!.splice(place, 1);
      entry.reject(reason);
      return;
    }
    const thread = [...this.#threads].find(({ doing }) => doing === entry);
    if (thread) this.#giveUp(thread, reason);
  }

  /** Ends a thread in the middle of its task. */
  #giveUp(thread: Thread<Task>, reason: Error): void {
    this.#threads.delete(thread);
    this.#end(thread, reason);
    void thread.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#shares.values())
      for (const { reject } of waiting) reject(new Error('The threads are closed.'));
    this.#shares.clear();
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    for (;;) {
      const idle = [...this.#threads].find((thread) => !thread.doing);
      if (!idle && this.#threads.size >= this.limits.threads) return;
      const taken = this.#take();
      if (!taken) return;
      this.#start(idle ?? this.#spawn(), taken);
    }
  }

  /** The first task of the share whose turn it is: whoever was served goes to the end of the line. */
  #take(): Waiting<Task> | undefined {
    const most = Math.max(1, this.limits.threads - 1);
    for (const [share, waiting] of this.#shares) {
      if ([...this.#threads].filter(({ doing }) => doing?.share === share).length >= most) continue;
      const taken = waiting.shift();
      this.#shares.delete(share);
      if (waiting.length) this.#shares.set(share, waiting);
      if (taken) return taken;
    }
    return undefined;
  }

  #spawn(): Thread<Task> {
    const resourceLimits: ResourceLimits = { maxOldGenerationSizeMb: this.limits.heapMb };
    const thread: Thread<Task> = { worker: new Worker(this.entry, { resourceLimits }), doing: undefined };
    const { worker } = thread;
    worker.unref();
    worker.on('message', (said: Said) => this.#end(thread, said));
    worker.on('error', (error: Error & { code?: string }) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(
        thread,
        outOfMemory ? new ThreadLimitExceeded(`It took more than ${this.limits.heapMb} MB of memory.`) : error,
      );
    });
    worker.on('exit', () => {
      this.#threads.delete(thread);
      this.#end(thread, new Error('The thread ended.'));
    });
    this.#threads.add(thread);
    return thread;
  }

  #start(thread: Thread<Task>, taken: Waiting<Task>): void {
    const { worker } = thread;
    thread.doing = taken;
    worker.ref();
    worker.postMessage(taken.task);
    void this.#watch(thread, taken);
  }

  #end(thread: Thread<Task>, said: Said | Error): void {
    const { doing } = thread;
    thread.doing = undefined;
    thread.worker.unref();
    if (doing) {
      if (said instanceof Error) doing.reject(said);
      else if ('error' in said)
        doing.reject(
          Object.assign(new Error(said.error.message), said.error.facts, {
            name: said.error.name,
            stack: said.error.stack,
          }),
        );
      else doing.resolve(said.answer as never);
    }
    if (!this.#closed) this.#next();
  }

  /** Ends the thread when its task has used up what it may. */
  async #watch(thread: Thread<Task>, watched: Waiting<Task>): Promise<void> {
    const { cpuMs, wallMs } = this.limits;
    const startedAt = performance.now();
    let usedBefore: number | undefined;
    const look = (): Promise<number | undefined> =>
      thread.worker.cpuUsage().then(
        ({ user, system }) => (user + system) / 1000,
        () => undefined,
      );
    while (thread.doing === watched) {
      await new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
      if (thread.doing !== watched) return;
      // Whoever waits for a thread that answers nothing is told by the clock alone.
      const used = await Promise.race([
        look(),
        new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), LOOK_EVERY_MS).unref()),
      ]);
      if (thread.doing !== watched) return;
      usedBefore ??= used; // What earlier tasks of the thread used; of this one, a tenth of a second at most.
      const overCpu = used !== undefined && used - usedBefore! > cpuMs;
      const overWall = performance.now() - startedAt > wallMs;
      if (!overCpu && !overWall) continue;
      this.#giveUp(
        thread,
        new ThreadLimitExceeded(
          overCpu ? `It took more than ${cpuMs / 1000} s of CPU time.` : `It took more than ${wallMs / 1000} s.`,
        ),
      );
      return;
    }
  }
}
