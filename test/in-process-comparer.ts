import { runComparisonTask } from '#lib/comparison/threads/comparison-tasks';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Pool } from '#lib/db/connection/pool';

/** Compares in this process, through connections that a test can break. */
export const inProcessComparer = (pool: Pool): Comparer => ({ run: (task) => runComparisonTask(pool, task) });
