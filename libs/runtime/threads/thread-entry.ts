import { getPriority, platform, setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/**
 * Runs inside a thread of a `ThreadPool` and handles its tasks, for as long as the thread lives.
 * @param work its errors are thrown where the task was submitted, with their own enumerable properties
 * @param transferablesOf the buffers of a result that are transferred to the other thread instead of being copied
 */
export function serveTasks<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  transferablesOf: (result: Result) => Transferable[] = () => [],
): void {
  lowerPriority();
  parentPort!.on('message', (task: Task) => {
    void (async () => {
      try {
        const result = await work(task);
        parentPort!.postMessage({ result }, transferablesOf(result));
      } catch (error) {
        const { name, message, stack, ...facts } = error as Error;
        parentPort!.postMessage({ error: { name, message, stack, facts } });
      }
    })();
  });
}

/** Gives a thread four tenths of the CPU share of an event loop: with much less, it would starve on a busy machine. */
const NICE = 4;

/**
 * The event loop of the process, which serves all requests, has priority when both want the same core. On Linux a
 * thread has its own priority; elsewhere this would change that of the whole process.
 */
function lowerPriority(): void {
  if (platform() === 'linux') setPriority(Math.max(getPriority(), NICE));
}

/**
 * The URL of a thread's module. When running from source, as in tests, it is the built file, because a thread cannot
 * load TypeScript.
 * @param name the path from the root of the project, without its extension: `libs/scoring/thread`
 */
export function threadModule(name: string): URL {
  const root = import.meta.url.endsWith('.ts') ? '../../../dist' : '../../..';
  return new URL(`${root}/${name}.js`, import.meta.url);
}
