// A thread that compares runs, with its own connection to Postgres.
import { workerData } from 'node:worker_threads';
import { createPool } from '#lib/db/connection/pool';
import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { runComparisonTask, type ComparisonTask } from './comparison-tasks.js';
import type { ComparisonThreadData } from './comparison-threads.js';

const pool = createPool((workerData as ComparisonThreadData).databaseUrl, 1);

serveTasks(
  (task: ComparisonTask) => runComparisonTask(pool, task),
  (result) => ('json' in result ? [result.json.buffer] : []),
);
