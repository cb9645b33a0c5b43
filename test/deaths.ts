import type { Pool } from '#lib/db/connection/pool';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { drawn, playsAll, repeatable } from './seed.js';

/** What a test plays in, on stores of its own. */
interface World {
  pool: Pool;
}

/** How many commits it takes, at least, until a process has died after each statement. */
const PARTS = 24;

/** Worlds to tell stories in: where few are told, the second one takes longer to open than it saves. */
export const openWorlds = <Of>(open: () => Promise<Of>): Promise<Of[]> =>
  Promise.all(Array.from({ length: playsAll ? 2 : 1 }, open));

/**
 * Has a story told by a process that dies after its first statement and by another that goes on, then by one that dies
 * after its second statement, until one tells it to its end. It has to end as it does when nobody dies. A commit plays
 * one of each twenty-four of these deaths; `npm run test:soak` plays all.
 * @param worlds in which stories are told side by side
 * @param storyOf tells the story in a process with this pool as far as it lives, then in another; returns its end
 * @param ends what its end has, at least
 * @param least so many statements it has, at least
 */
export async function tellWithDeaths<Of extends World>(
  worlds: readonly Of[],
  storyOf: (world: Of, pool: Pool) => Promise<object>,
  { ends = {}, least, most }: { ends?: object; least: number; most: number },
): Promise<void> {
  const [first] = worlds;
  const reference = await storyOf(first!, first!.pool);
  expect(reference).toMatchObject(ends);
  const stride = playsAll ? 1 : PARTS;
  let [next, statements] = [1 + drawn(stride), Infinity];
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
  await repeatable(() => Promise.all(worlds.map(tell)));
  expect(statements).toBeGreaterThan(least);
}
