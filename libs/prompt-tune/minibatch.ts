import { draw } from '#lib/tuning/draw';

/**
 * The cases for one reflection on a candidate. All cases are shuffled by the seed and taken in batches, then
 * reshuffled. When fewer than half of a batch fail, failing cases replace others as far as available.
 * @param n the number of the batch, from 0
 * @param failing whether the case fails under the parent, as far as known
 * @returns `size` different cases, or all when there are fewer
 */
export function minibatchOf(
  cases: readonly number[],
  n: number,
  { size, seed, failing }: { size: number; seed: number; failing: (position: number) => boolean },
): number[] {
  const batches = Math.max(1, Math.ceil(cases.length / size));
  const order = draw(cases, cases.length, seed + Math.imul(Math.floor(n / batches), 0x9e3779b1));
  const start = (n % batches) * size;
  // The last batch of an epoch is filled up from the epoch's start.
  const fromStart = [...order.slice(start), ...order.slice(0, start)];
  const batch = fromStart.slice(0, size);
  const others = fromStart.slice(size).filter(failing);
  let missing = Math.ceil(size / 2) - batch.filter(failing).length;
  for (let at = batch.length - 1; at >= 0 && missing > 0 && others.length > 0; at--) {
    if (failing(batch[at]!)) continue;
    batch[at] = others.shift()!;
    missing--;
  }
  return batch;
}
