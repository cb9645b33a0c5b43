import { LRUCache } from 'lru-cache';
import { ProblemError } from '#lib/contracts/input/problem';
import type {
  ComparisonAnswers as Answers,
  ComparisonTask,
  JsonAnswer,
} from '#lib/comparison/threads/comparison-tasks';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import { leaveTurn } from '#lib/runtime/held-turn';
import { ThreadLimitExceeded, TooManyTasks } from '#lib/runtime/threads/thread-pool';

/** Total size of all cached answers. */
const MAX_BYTES = 64 * 2 ** 20;
/** A page of one case has two results, each with a reply of up to 15 MiB. */
const MAX_ANSWER_MIB = 32;
/** Maximum number of comparisons per team that may wait for a thread. */
export const MAX_WAITING = 30;
/** How long work continues with no client waiting, and how long its outcome is then kept. */
const ABANDONED_AFTER_MS = 60_000;

type What = keyof Answers;
/** Tasks whose answer is JSON. */
type AnsweredTask = Extract<
  ComparisonTask,
  { what: { [Of in What]: Answers[Of] extends JsonAnswer ? Of : never }[What] }
>;

/** How long a client waits for an answer: until the time is over, or until the client has left. */
export interface Patience {
  waitMs: number;
  left: AbortSignal;
}

/** An answer in progress, or one that failed while no client waited. */
interface Computation {
  json: Promise<Uint8Array<ArrayBuffer>>;
  failed: boolean;
  abort: AbortController;
  waiting: number;
  dropping?: NodeJS.Timeout;
}

interface Kept {
  json: Uint8Array<ArrayBuffer>;
  /** Kept only for the next client that asks. */
  once: boolean;
}

/**
 * Caches answers of comparisons by task; a task names everything its answer depends on. Concurrent requests for one
 * answer share the same work, each with its own timeout. A client that left may ask again within a minute: the work
 * goes on, and its outcome is kept. An answer that may change is only for the clients that waited for it, or for the
 * next one that asks. A waiting request releases its turn, so that the team can send other requests meanwhile.
 */
export class ComparisonAnswers {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ json }, key) => json.byteLength + Buffer.byteLength(key),
  });
  readonly #making = new Map<string, Computation>();

  constructor(
    readonly comparing: Comparer,
    readonly unaskedMs = ABANDONED_AFTER_MS,
  ) {}

  /**
   * @returns JSON; undefined when the wait ended before the answer was ready
   * @throws the reason of `left` once it aborts; ProblemError 422 when the work or the answer is too large, 429 when
   * too many comparisons of the team are waiting, 503 when Postgres takes too long; and whatever the comparison throws
   */
  async get(task: AnsweredTask, { waitMs, left }: Patience): Promise<Uint8Array<ArrayBuffer> | undefined> {
    left.throwIfAborted();
    const key = JSON.stringify(task);
    const kept = this.#kept.get(key);
    if (kept?.once) this.#kept.delete(key);
    if (kept) return kept.json;
    leaveTurn();
    const making = this.#making.get(key) ?? this.#begin(key, task);
    clearTimeout(making.dropping);
    making.waiting++;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), waitMs).unref();
    const leave = (): void => reject(left.reason as Error);
    left.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([making.json, promise]);
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', leave);
      making.waiting--;
      this.#leave(key, making);
    }
  }

  /** Aborts the answers in progress. */
  close(): void {
    for (const { abort, dropping } of this.#making.values()) {
      clearTimeout(dropping);
      abort.abort(new ProblemError(503, 'The server is stopping. Ask again in a few seconds.', undefined, 5000));
    }
    this.#making.clear();
  }

  #leave(key: string, making: Computation): void {
    if (making.waiting > 0 || this.#making.get(key) !== making) return;
    if (making.failed) return void this.#making.delete(key);
    making.dropping = setTimeout(() => {
      this.#making.delete(key);
      making.abort.abort(new Error('Nobody has requested it for a while.'));
    }, this.unaskedMs).unref();
  }

  #begin(key: string, task: AnsweredTask): Computation {
    const abort = new AbortController();
    const making: Computation = { json: this.#make(key, task, abort.signal), failed: false, abort, waiting: 0 };
    this.#making.set(key, making);
    making.json.then(
      () => this.#forget(key, making),
      () => {
        making.failed = true;
        // The next request within a minute gets this error, instead of repeating work that fails.
        if (making.waiting > 0) this.#forget(key, making);
      },
    );
    return making;
  }

  async #make(key: string, task: AnsweredTask, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { json, keep } = await (this.comparing.run(task, signal) as Promise<JsonAnswer>).catch(refuse);
    if (json.byteLength > MAX_ANSWER_MIB * 2 ** 20)
      throw new ProblemError(
        422,
        `The answer is ${Math.ceil(json.byteLength / 2 ** 20)} MiB; the limit is ${MAX_ANSWER_MIB}. Compare fewer ` +
          'runs or models at a time, or list fewer cases on a page.',
      ).as('answer_too_large');
    const isAwaited = (this.#making.get(key)?.waiting ?? 0) > 0;
    if (keep) this.#kept.set(key, { json, once: false });
    else if (!isAwaited) this.#kept.set(key, { json, once: true }, { ttl: this.unaskedMs });
    return json;
  }

  #forget(key: string, making: Computation): void {
    clearTimeout(making.dropping);
    if (this.#making.get(key) === making) this.#making.delete(key);
  }
}

/** Rethrows an error as a problem that says what to do about it. */
function refuse(error: unknown): never {
  if (error instanceof ThreadLimitExceeded)
    throw new ProblemError(
      422,
      `This comparison is too much work. ${error.message} Compare fewer runs or pairs of models at a time, runs of ` +
        'fewer cases, or list fewer cases on a page.',
    ).as('answer_too_large');
  if (error instanceof TooManyTasks)
    throw new ProblemError(
      429,
      `${MAX_WAITING} comparisons of this team are queued already. Try again when some are done.`,
      undefined,
      5000,
    );
  if ((error as { code?: string }).code === QUERY_CANCELED)
    throw new ProblemError(
      503,
      'Postgres takes too long to read these runs at the moment. Try again later, or compare fewer runs or pairs of ' +
        'models at a time.',
      undefined,
      10_000,
    );
  throw error;
}

/** SQLSTATE of a statement that exceeded its timeout. */
const QUERY_CANCELED = '57014';
