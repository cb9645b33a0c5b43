import type { Pool, PoolClient } from '../connection/pool.js';

/** The pool of a process that dies after its n-th statement and then has no connections or leases. */
export function dyingPool(pool: Pool, n: number): { pool: Pool; died: () => boolean; statements: () => number } {
  let [statements, isDead] = [0, false];
  const dying = async (query: () => Promise<unknown>, kill: () => void): Promise<unknown> => {
    const answer = isDead ? undefined : await query();
    isDead ||= ++statements === n;
    if (!isDead) return answer;
    kill();
    await pool.query('DELETE FROM lease'); // As if they had expired.
    throw new Error('The process is dead');
  };
  const clientOf = (client: PoolClient): PoolClient => {
    let released = false;
    const release = (): void => {
      if (!released) client.release(isDead);
      released = true;
    };
    return new Proxy(client, {
      get(target, key) {
        if (key === 'release') return release;
        if (key !== 'query') return Reflect.get(target, key, target) as unknown;
        return (...query: [string]) => dying(() => target.query(...query), release);
      },
    });
  };
  const proxied = new Proxy(pool, {
    get(target, key) {
      if (key === 'connect') return async () => clientOf(await target.connect());
      if (key !== 'query') return Reflect.get(target, key, target) as unknown;
      return (...query: [string]) =>
        dying(
          () => target.query(...query),
          () => {},
        );
    },
  });
  return { pool: proxied, died: () => isDead, statements: () => statements };
}
