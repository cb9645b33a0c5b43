import type { Pool } from '#lib/db/connection/pool';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { seed } from './seed.js';

/** What a test plays in, on stores of its own. */
interface World {
  pool: Pool;
}

/**
 * Has a story told by a process that dies after its first statement and by another that goes on, then by one that dies
 * after its second statement, until one tells it to its end. It has to end as it does when nobody dies.
 * @param worlds in which stories are told side by side
 * @param storyOf tells the story in a process with this pool as far as it lives, then in another; returns its end
 * @param ends what its end has, at least
 * @param least so many statements it has, at least
 * @param stride every how many statements it dies; the seed says at which of them it begins
 */
export async function tellWithDeaths<Of extends World>(
  worlds: readonly Of[],
  storyOf: (world: Of, pool: Pool) => Promise<object>,
  { ends = {}, least, most, stride = 1 }: { ends?: object; least: number; most: number; stride?: number },
): Promise<void> {
  const [first] = worlds;
  const reference = await storyOf(first!, first!.pool);
  expect(reference).toMatchObject(ends);
  let [next, statements] = [1 + (seed % stride), Infinity];
  const tell = async (world: Of): Promise<void> => {
    while (next < statements) {
      const n = next;
      next += stride;
      expect(n).toBeLessThan(most);
      const process = dyingPool(world.pool, n);
      expect({ n, ...(await storyOf(world, process.pool)) }).toEqual({ n, ...reference });
      if (!process.died()) statements = Math.min(statements, n);
    }
  };
  await Promise.all(worlds.map(tell));
  expect(statements).toBeGreaterThan(least);
}
