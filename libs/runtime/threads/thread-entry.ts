import { parentPort } from 'node:worker_threads';

/**
 * The inside of a thread of a `ThreadPool`: answers its tasks one after another, for good.
 * @param work what it throws is thrown where the task was given; own enumerable properties of the error go along
 */
export function serveTasks<Task, Answer>(work: (task: Task) => Answer | Promise<Answer>): void {
  parentPort!.on('message', (task: Task) => {
    void (async () => {
      try {
        parentPort!.postMessage({ answer: await work(task) });
      } catch (error) {
        const { name, message, stack, ...facts } = error as Error;
        parentPort!.postMessage({ error: { name, message, stack, facts } });
      }
    })();
  });
}

/**
 * Where a thread's module is, beside the one that names it. From a checkout's sources, as tests run them, the built
 * file is taken: a thread loads no TypeScript.
 * @param name path without its ending, from the root of the project: `libs/scoring/thread`
 */
export function threadModule(name: string): URL {
  const { url } = import.meta;
  return url.endsWith('.ts') ? new URL(`../../../dist/${name}.js`, url) : new URL(`../../../${name}.js`, url);
}
