import type { Transferable } from 'node:worker_threads';
import { ProblemError } from '#lib/contracts/input/problem';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool, TooManyTasks, type ThreadLimits } from '#lib/runtime/threads/thread-pool';
import type { LargeBodyReader, LargeBodyTask, LargeBodyText } from '../platform/large-bodies.js';
import { runSuiteTask, type SuiteAnswers, type SuiteTask } from './suite-tasks.js';

/** A user waits for the answer. A file of 10 MiB takes a few seconds. */
const LIMITS = { threads: 2, cpuMs: 20_000, wallMs: 60_000, heapMb: 512 };
/** Tasks of a team that may wait; each holds its text in memory. */
const MAX_WAITING = 100;

/** Shorter inputs take milliseconds, whatever they contain, so they run at once. */
const MAX_LIGHT_CHARACTERS = 16 * 1024;
/** Characters of tools: checking cases compiles their schemas, which takes ten milliseconds for this many. */
const MAX_LIGHT_TOOLS = 4 * 1024;
/** Characters of texts to compare: the time grows with the square of the number of differing words. */
const MAX_LIGHT_DIFF = 1024;
/** Short inputs that may still take long: nested repetitions in patterns, schemas that refer to each other. */
const SLOW_SCHEMA = /"\$ref"|"\$dynamicRef"|regex|"pattern/;

/**
 * Runs slow work on user input in threads with limits of time and memory, shared fairly by teams. The API's own thread
 * serves every request, so only small and simple tasks run there.
 */
export class SuiteThreads implements LargeBodyReader {
  readonly #pool: ThreadPool<SuiteTask, SuiteAnswers[SuiteTask['what']]>;

  constructor(limits: ThreadLimits = LIMITS) {
    this.#pool = new ThreadPool(threadModule('apps/api/threads/suite-thread'), limits, MAX_WAITING);
  }

  /**
   * @throws ProblemError 422 when it exceeds its limits, 429 when the team has too many tasks waiting; or whatever the
   * work throws
   */
  async run<What extends SuiteTask['what']>(
    teamId: string,
    task: Extract<SuiteTask, { what: What }>,
    moved: Transferable[] = [],
  ): Promise<SuiteAnswers[What]> {
    try {
      const answer = isLight(task) ? runSuiteTask(task) : this.#pool.run(task, teamId, undefined, moved);
      return (await answer) as SuiteAnswers[What];
    } catch (error) {
      throw asProblem(error);
    }
  }

  /** The bytes are transferred, so the caller cannot use them afterwards. */
  readBody(teamId: string, task: LargeBodyTask): Promise<LargeBodyText> {
    return this.run(teamId, { what: 'read-body', ...task }, [task.bytes.buffer]);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function isLight(task: SuiteTask): boolean {
  if (task.what === 'import' || task.what === 'read-recorded' || task.what === 'read-body') return false;
  if (task.what === 'diff-texts')
    return task.pairs.reduce((sum, [from, to]) => sum + from.length + to.length, 0) <= MAX_LIGHT_DIFF;
  const about = task.what === 'count-requests' ? task.of : 'tools' in task ? task.tools : '';
  if ((task.what === 'check-cases' || task.what === 'fit-cases') && about.length > MAX_LIGHT_TOOLS) return false;
  const texts = [about, ...('cases' in task ? (task.cases ?? []) : [])];
  const times = task.what === 'count-requests' ? task.targets : 1;
  const characters = texts.reduce((sum, text) => sum + text.length, 0) * times;
  return (
    characters <= MAX_LIGHT_CHARACTERS &&
    (task.what === 'count-requests' || !texts.some((text) => SLOW_SCHEMA.test(text)))
  );
}

function asProblem(error: unknown): Error {
  if (error instanceof ThreadLimitExceeded) {
    return new ProblemError(
      422,
      `This takes too much work. ${error.message} Send less at a time: fewer or smaller cases or tools.`,
    );
  }
  if (error instanceof TooManyTasks) {
    return new ProblemError(
      429,
      `${MAX_WAITING} requests of this kind from your team are queued already. Try again in a few seconds.`,
      undefined,
      5000,
    );
  }
  return error as Error;
}
