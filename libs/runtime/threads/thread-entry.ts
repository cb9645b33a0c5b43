import { getPriority, platform, setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/**
 * Runs inside a thread of a `ThreadPool` and works on its tasks, for as long as the thread lives.
 * @param work its errors are thrown where the task was submitted, with their own enumerable properties
 * @param movedIn the buffers of a result that move to the other thread instead of being copied
 */
export function serveTasks<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  movedIn: (result: Result) => Transferable[] = () => [],
): void {
  giveWay();
  parentPort!.on('message', (task: Task) => {
    void (async () => {
      try {
        const result = await work(task);
        parentPort!.postMessage({ result }, movedIn(result));
      } catch (error) {
        const { name, message, stack, ...facts } = error as Error;
        parentPort!.postMessage({ error: { name, message, stack, facts } });
      }
    })();
  });
}

/** A thread gets four tenths of what an event loop gets: with much less, it would come to nothing on a busy machine. */
const NICE = 4;

/**
 * The event loop of the process, which serves everybody, goes first where both want the same core. On Linux a thread
 * has a priority of its own; elsewhere this would be that of the whole process.
 */
function giveWay(): void {
  if (platform() === 'linux') setPriority(Math.max(getPriority(), NICE));
}

/**
 * The URL of the module of a thread. When the sources run, as in tests, it is the built file, because a thread loads
 * no TypeScript.
 * @param name the path from the root of the project, without its ending: `libs/scoring/thread`
 */
export function threadModule(name: string): URL {
  const fromHere = import.meta.url.endsWith('.ts') ? '../../../dist' : '../../..';
  return new URL(`${fromHere}/${name}.js`, import.meta.url);
}
