import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Simulates cells on all cores, expensive ones first.
 * @param cells each with `n`, its number of cases
 * @param file a worker that returns the figures of a cell
 * @returns the cells with their figures, in the same order
 */
export async function inWorkers(cells, file) {
  const order = [...cells.keys()].sort((i, j) => cells[j].n - cells[i].n);
  const results = [];
  let done = 0;
  const work = async () => {
    const worker = new Worker(file);
    const failed = new Promise((_, reject) => worker.once('error', reject));
    for (let index = order.shift(); index !== undefined; index = order.shift()) {
      const answer = new Promise((resolve) => worker.once('message', resolve));
      worker.postMessage(cells[index]);
      results[index] = { ...cells[index], ...(await Promise.race([answer, failed])) };
      if (++done % 60 === 0) console.error(`${done} of ${cells.length} cells`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}
