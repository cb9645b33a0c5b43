import { workerData } from 'node:worker_threads';
import { createPool } from '#lib/db/connection/pool';
import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { runReadingTask, type ReadingOutcome, type ReadingTask } from './reading-tasks.js';

const pool = createPool((workerData as { databaseUrl: string }).databaseUrl, 1);

serveTasks(
  (task: ReadingTask): Promise<ReadingOutcome> => runReadingTask(pool, task),
  ({ parts }) => parts.map(({ buffer }) => buffer as ArrayBuffer),
);
