import type { Pool } from '#lib/db/connection/pool';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { drawn, playsAll, repeatable } from './seed.js';

/** The environment of a test, with its own stores. */
interface TestStores {
  pool: Pool;
}

/** Minimum number of commits until a process has died after each statement. */
const COMMITS_FOR_ALL = 24;

/** Worlds in which stories are played. With few stories, opening a second world takes longer than it saves. */
export const openTestStores = <Of>(open: () => Promise<Of>): Promise<Of[]> =>
  Promise.all(Array.from({ length: playsAll ? 2 : 1 }, open));

/**
 * Plays a story in a process that dies after its first statement and another that continues, then in one that dies
 * after its second statement, until one reaches its end. The end must be the same as without deaths. A commit plays one
 * of every twenty-four of these deaths; `npm run test:soak` plays all.
 * @param worlds in which stories are played in parallel
 * @param storyOf plays the story in a process with this pool until it dies, then in another; returns its end
 * @param ends what its end must at least contain
 * @param least minimum number of statements in the story
 */
export async function replayWithDeaths<Of extends TestStores>(
  worlds: readonly Of[],
  storyOf: (world: Of, pool: Pool) => Promise<object>,
  { ends = {}, least, most }: { ends?: object; least: number; most: number },
): Promise<void> {
  const [first] = worlds;
  const reference = await storyOf(first!, first!.pool);
  expect(reference).toMatchObject(ends);
  const stride = playsAll ? 1 : COMMITS_FOR_ALL;
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
