import type { Pool } from '../connection/pool.js';
import { dyingPool } from './dying-pool.js';

/** Number of statements that `work` executes. */
export async function countStatements(pool: Pool, work: (pool: Pool) => Promise<unknown>): Promise<number> {
  const process = dyingPool(pool, Infinity);
  await work(process.pool);
  return process.statements();
}
