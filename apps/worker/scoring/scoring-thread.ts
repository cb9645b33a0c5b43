// A thread that reads and scores replies that may take long.
import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { runScoringTask } from './scoring-work.js';

serveTasks(runScoringTask, (result) =>
  'exchange' in result ? (result.exchange.replies ?? []).map(({ bytes }) => bytes.buffer) : [],
);
